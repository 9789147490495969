"""The tasks of `%help`, and the commands of each."""

TASKS = {
    "ask": "name? name?? torch.*norm? %help",
    "see names and values": "%who %summary %full %heat %hist %plot %image",
    "see gradients": "%grads %why %graph %step %modes %trace",
    "check": "%predict %gradcheck %cmp %memory",
    "run": "%run !COMMAND %cd",
    "measure": "%time %timeit %prun",
    "find a failure": "%debug %up %down",
    "go back": "%history In[N] Out[N] %undo %edit %reset",
    "write and read files": "%export %save %load %watch",
    "choose": "%set %seed",
}
# Further lines of `%help`: usage and description.
MORE = (
    ("%help NAME", "what a command or a name is"),
    ("%help commands", "all commands, with a line about each"),
    ("%help keys", "the keys of the prompt"),
)
