"""`tensh doc NAME`: the help page of a public name."""

from tensh.cli.process import status
from tensh.cli.programs.options import UsageError
from tensh.cli.render.console import Console
from tensh.support.language import _


def show(env, name, with_source=False, as_json=False):
    """Write the help page of a name; with `as_json` as one line of JSON."""
    from tensh.cli.session.help import lookup, names, page, view
    from tensh.engine.methods.unsupported import NotInTensh

    console = Console(env)
    try:
        tokens = [*lookup.find_public_page(name, with_source)]
    except NotInTensh as error:
        console.remark([("message", f"{error}\n")])
        return status.NOT_IN_TENSH
    except lookup.Unknown as error:
        raise UsageError(_("tensh doc: {error}").format(error=error)) from None
    if as_json:
        from tensh.support.escaping import dumps

        tokens = [("plain", dumps({"v": 1} | page.facts(names.find_name(name))) + "\n")]
    console.result([*view.HelpPage(tokens).draw(console.page()), ("plain", "\n")])
    return status.OK
