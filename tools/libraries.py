"""Run small programs of libraries that are written for PyTorch, on PyTorch and on tensh:  python tools/libraries.py [NAME...]

For an environment with PyTorch and such libraries: each program whose library is installed runs twice, and both must print
the same. A program that fails on PyTorch is no evidence; the last line counts the others.
"""

import importlib.util
import os
import subprocess
import sys

from tensh.alias import environment

PROGRAMS = {
    ("gpt2", "transformers"): """
from transformers import GPT2Config, GPT2LMHeadModel
torch.manual_seed(0); m=GPT2LMHeadModel(GPT2Config(n_layer=2,n_head=2,n_embd=16,vocab_size=50,n_positions=32,bos_token_id=0,eos_token_id=1,attn_pdrop=0,resid_pdrop=0,embd_pdrop=0))
x=torch.arange(10)[None]; o=torch.optim.AdamW(m.parameters(),lr=1e-2)
for _ in range(10):
    l=m(x,labels=x).loss; o.zero_grad(); l.backward(); o.step()
print(round(l.item(),4), m.generate(x[:,:3],max_new_tokens=8,do_sample=False,pad_token_id=1).tolist()); torch.manual_seed(1); print(m.generate(x[:,:3],max_new_tokens=8,do_sample=True,pad_token_id=1).tolist())
import tempfile; d=tempfile.mkdtemp(); m.save_pretrained(d); n=GPT2LMHeadModel.from_pretrained(d); print(torch.equal(n.eval()(x).logits, m.eval()(x).logits))
""",
    ("bert", "transformers"): """
from transformers import BertConfig, BertForSequenceClassification
torch.manual_seed(0); m=BertForSequenceClassification(BertConfig(hidden_size=16,num_hidden_layers=2,num_attention_heads=2,intermediate_size=32,vocab_size=50)).eval()
l=m(torch.arange(10)[None],labels=torch.tensor([1])).loss; l.backward(); print(round(l.item(),4), round(sum(p.grad.abs().sum().item() for p in m.parameters() if p.grad is not None),2))
""",
    ("llama", "transformers"): """
from transformers import LlamaConfig, LlamaForCausalLM
torch.manual_seed(0); m=LlamaForCausalLM(LlamaConfig(hidden_size=16,num_hidden_layers=2,num_attention_heads=2,intermediate_size=32,vocab_size=50)).eval()
x=torch.arange(10)[None]; l=m(x,labels=x).loss; l.backward(); print(round(l.item(),4), m.generate(x[:,:3],max_new_tokens=5,do_sample=False,pad_token_id=1).tolist())
""",
    ("t5", "transformers"): """
from transformers import T5Config, T5ForConditionalGeneration
torch.manual_seed(0); m=T5ForConditionalGeneration(T5Config(d_model=16,d_kv=8,d_ff=32,num_layers=2,num_heads=2,vocab_size=50,decoder_start_token_id=0)).eval()
x=torch.arange(10)[None]; l=m(input_ids=x,labels=x).loss; l.backward(); print(round(l.item(),3))
""",
    ("vit", "transformers"): """
from transformers import ViTConfig, ViTModel
torch.manual_seed(0); m=ViTModel(ViTConfig(hidden_size=16,num_hidden_layers=2,num_attention_heads=2,intermediate_size=32,image_size=8,patch_size=4)).eval()
print(round(m(torch.ones(1,3,8,8)).last_hidden_state.abs().sum().item(),3))
""",
    ("accelerate", "accelerate"): """
from accelerate import Accelerator
a=Accelerator(cpu=True); torch.manual_seed(0); m=torch.nn.Linear(2,1); o=torch.optim.SGD(m.parameters(),lr=.1); d=torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(8,2)),batch_size=4); m,o,d=a.prepare(m,o,d)
for (b,) in d: l=m(b).pow(2).mean(); a.backward(l); o.step(); o.zero_grad()
print(round(l.item(),4))
""",
    ("lightning", "lightning"): """
import lightning as L, tempfile, logging; logging.disable()
from lightning.pytorch.loggers import CSVLogger
class M(L.LightningModule):
    def __init__(s): super().__init__(); s.l=torch.nn.Linear(2,1)
    def training_step(s,b,i): l=s.l(b[0]).pow(2).mean(); s.log("l",l); return l
    def configure_optimizers(s): return torch.optim.SGD(s.parameters(),lr=.1)
L.seed_everything(0); d=torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(8,2)),batch_size=4); m=M(); t=tempfile.mkdtemp()
T=L.Trainer(max_epochs=2,accelerator="cpu",logger=CSVLogger(t),default_root_dir=t,enable_progress_bar=False,enable_model_summary=False); T.fit(m,d); print(round(T.callback_metrics["l"].item(),5))
""",
    ("pyro", "pyro"): """
import pyro, pyro.distributions as dist
from pyro.infer import SVI, Trace_ELBO
pyro.set_rng_seed(0)
def model(x): z=pyro.sample("z",dist.Normal(0.,1.)); pyro.sample("x",dist.Normal(z,1.),obs=x)
def guide(x): pyro.sample("z",dist.Normal(pyro.param("m",torch.tensor(0.)),pyro.param("s",torch.tensor(1.),constraint=dist.constraints.positive)))
s=SVI(model,guide,pyro.optim.Adam({"lr":.05}),Trace_ELBO())
for _ in range(20): l=s.step(torch.tensor(2.))
print(round(l,3), round(pyro.param("m").item(),4))
""",
    ("gpytorch", "gpytorch"): """
import gpytorch
torch.manual_seed(0); x=torch.linspace(0,1,10); y=torch.sin(6*x); lk=gpytorch.likelihoods.GaussianLikelihood()
class G(gpytorch.models.ExactGP):
    def __init__(s): super().__init__(x,y,lk); s.mean_module=gpytorch.means.ConstantMean(); s.k=gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())
    def forward(s,x): return gpytorch.distributions.MultivariateNormal(s.mean_module(x),s.k(x))
m=G(); m.train(); mll=gpytorch.mlls.ExactMarginalLogLikelihood(lk,m); o=torch.optim.Adam(m.parameters(),lr=.1)
for _ in range(10): o.zero_grad(); l=-mll(m(x),y); l.backward(); o.step()
m.eval(); print(round(l.item(),4), round(m(torch.tensor([.5])).mean.item(),3))
""",
    ("botorch", "botorch"): """
from botorch.models import SingleTaskGP; from botorch.fit import fit_gpytorch_mll; from gpytorch.mlls import ExactMarginalLogLikelihood
torch.manual_seed(0); x=torch.rand(8,1,dtype=torch.float64); m=SingleTaskGP(x,torch.sin(6*x)); fit_gpytorch_mll(ExactMarginalLogLikelihood(m.likelihood,m)); print(round(m.posterior(torch.tensor([[.5]],dtype=torch.float64)).mean.item(),2))
""",
    ("x_transformers", "x_transformers"): """
from x_transformers import TransformerWrapper, Decoder
torch.manual_seed(0); m=TransformerWrapper(num_tokens=20,max_seq_len=16,attn_layers=Decoder(dim=16,depth=1,heads=2)); print(round(m(torch.arange(8)[None]).abs().sum().item(),2))
""",
    ("diffusers", "diffusers"): """
from diffusers import UNet2DModel
torch.manual_seed(0); m=UNet2DModel(sample_size=8,in_channels=1,out_channels=1,layers_per_block=1,block_out_channels=(8,16),norm_num_groups=4,down_block_types=("DownBlock2D","AttnDownBlock2D"),up_block_types=("AttnUpBlock2D","UpBlock2D"),attention_head_dim=4)
l=m(torch.ones(1,1,8,8),1).sample.pow(2).mean(); l.backward(); print(round(l.item(),4))
""",
    ("torchmetrics", "torchmetrics"): """
import torchmetrics as t; print(t.Accuracy("multiclass",num_classes=3)(torch.tensor([0,1,2]),torch.tensor([0,1,1])), t.MeanSquaredError()(torch.ones(3),torch.zeros(3)))
""",
    ("captum", "captum"): """
from captum.attr import IntegratedGradients; torch.manual_seed(0); m=torch.nn.Linear(3,2); print(IntegratedGradients(m).attribute(torch.ones(1,3),target=1))
""",
    ("ignite", "ignite"): """
from ignite.engine import Engine, Events; from ignite.metrics import Accuracy
e=Engine(lambda e,b:b); Accuracy(lambda o:(torch.tensor([[.1,.9]]),torch.tensor([1]))).attach(e,"a"); e.run([1,2]); print(e.state.metrics)
""",
    ("skorch", "skorch"): """
from skorch import NeuralNetClassifier; import numpy as np; torch.manual_seed(0); n=NeuralNetClassifier(torch.nn.Sequential(torch.nn.Linear(2,2),torch.nn.Softmax(-1)),max_epochs=2,verbose=0,train_split=None); n.fit(np.ones((8,2),"float32"),np.zeros(8,"int64")); print(round(float(n.history[-1,"train_loss"]),4))
""",
    ("einops_layers", "einops"): """
from einops.layers.torch import Rearrange; from einops import rearrange, einsum; print(Rearrange("a (b c) -> a b c", b=2)(torch.arange(8.).view(2,4)))
""",
    ("timm", "timm"): """
import timm; torch.manual_seed(0); m=timm.create_model("resnet10t",num_classes=3).eval(); print(round(m(torch.ones(1,3,32,32)).abs().sum().item(),3))
""",
    ("pyg", "torch_geometric"): """
from torch_geometric.nn import GCNConv; torch.manual_seed(0); print(GCNConv(2,2)(torch.ones(3,2),torch.tensor([[0,1],[1,2]])).sum())
""",
    ("e3nn", "e3nn"): """
from e3nn import o3; print(o3.spherical_harmonics(2,torch.tensor([[1.,2.,3.]]),True))
""",
    ("vq", "vector_quantize_pytorch"): """
from vector_quantize_pytorch import VectorQuantize; torch.manual_seed(0); q,i,l=VectorQuantize(dim=4,codebook_size=8)(torch.randn(1,5,4)); print(i, l)
""",
    ("rotary", "rotary_embedding_torch"): """
from rotary_embedding_torch import RotaryEmbedding; print(RotaryEmbedding(4).rotate_queries_or_keys(torch.ones(1,1,3,4)))
""",
    ("torchdiffeq", "torchdiffeq"): """
from torchdiffeq import odeint; print(odeint(lambda t,y:-y,torch.ones(2),torch.linspace(0,1,3)))
""",
    ("entmax", "entmax"): """
from entmax import entmax15; print(entmax15(torch.tensor([1.,2.,3.])))
""",
    ("torch_optimizer", "torch_optimizer"): """
import torch_optimizer as o; p=torch.ones(2,requires_grad=True); s=o.Lamb([p],lr=.1); p.sum().backward(); s.step(); print(p)
""",
    ("fvcore", "fvcore"): """
from fvcore.nn import FlopCountAnalysis; m=torch.nn.Sequential(torch.nn.Conv2d(3,4,3),torch.nn.BatchNorm2d(4),torch.nn.ReLU(),torch.nn.Flatten(),torch.nn.Linear(144,2)); f=FlopCountAnalysis(m,torch.ones(1,3,8,8)); print(f.total(), f.by_operator(), f.by_module())
""",
    ("performer", "performer_pytorch"): """
from performer_pytorch import PerformerLM; torch.manual_seed(0); m=PerformerLM(num_tokens=9,max_seq_len=8,dim=8,depth=2,heads=2,dim_head=4,nb_features=8,reversible=True); l=m(torch.arange(8)[None]).square().mean(); l.backward(); print(round(l.item(),3))
""",
    ("torchsde", "torchsde"): """
import torchsde
class S(torch.nn.Module):
    noise_type, sde_type = "diagonal", "ito"
    def f(s,t,y): return -y
    def g(s,t,y): return 0.3*y
print(torchsde.sdeint(S(),torch.ones(2,3),torch.linspace(0,1,3),bm=torchsde.BrownianInterval(0.,1.,(2,3),entropy=7),dt=0.1,method="milstein"))
""",
    ("zuko", "zuko"): """
import zuko; torch.manual_seed(0); f=zuko.flows.NSF(3,transforms=2,hidden_features=(8,)); l=-f().log_prob(torch.randn(16,3)).mean(); l.backward(); print(round(l.item(),3), f().sample((2,)).shape)
""",
    ("metric_learning", "pytorch_metric_learning"): """
from pytorch_metric_learning import losses, miners; torch.manual_seed(0); x=torch.randn(20,4); y=torch.arange(20)%4; print([round(l(x,y).item(),3) for l in (losses.NTXentLoss(),losses.CircleLoss(),losses.SupConLoss(),losses.ProxyAnchorLoss(4,4))], [len(i) for i in miners.MultiSimilarityMiner()(x,y)])
""",
    ("safetensors", "safetensors"): """
from safetensors.torch import save, load; print(load(save({"a":torch.ones(2)})))
""",
    ("trainer", "transformers"): """
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
import contextlib, io, tempfile
torch.manual_seed(0); m=BertForSequenceClassification(BertConfig(hidden_size=16,num_hidden_layers=2,num_attention_heads=2,intermediate_size=32,vocab_size=50,num_labels=3))
d=[dict(input_ids=torch.arange(i,i+7),labels=i%3) for i in range(24)]
a=TrainingArguments(tempfile.mkdtemp(),num_train_epochs=2,per_device_train_batch_size=4,logging_steps=3,report_to=[],use_cpu=True,disable_tqdm=True,bf16=True,lr_scheduler_type="cosine",gradient_accumulation_steps=2)
with contextlib.redirect_stdout(io.StringIO()): t=Trainer(m,a,train_dataset=d); t.train()
print([round(h["loss"],3) for h in t.state.log_history if "loss" in h])
""",
    ("peft", "peft"): """
from transformers import LlamaConfig, LlamaForCausalLM
from peft import LoraConfig, get_peft_model
torch.manual_seed(0); m=LlamaForCausalLM(LlamaConfig(hidden_size=16,num_hidden_layers=2,num_attention_heads=2,intermediate_size=32,vocab_size=50))
p=get_peft_model(m,LoraConfig(r=4,use_dora=True,target_modules=["q_proj","v_proj"])); o=torch.optim.AdamW([q for q in p.parameters() if q.requires_grad],lr=1e-2); x=torch.arange(10)[None]
for _ in range(3): l=p(input_ids=x,labels=x).loss; o.zero_grad(); l.backward(); o.step()
print(round(l.item(),4), p.get_nb_trainable_parameters(), round(p.merge_and_unload()(input_ids=x,labels=x).loss.item(),4))
""",
    ("stable_baselines3", "stable_baselines3"): """
import gymnasium as gym, numpy as np
from stable_baselines3 import PPO, SAC
class Env(gym.Env):
    observation_space, action_space = gym.spaces.Box(-1,1,(3,),np.float32), gym.spaces.Box(-1,1,(2,),np.float32)
    def reset(s,seed=None,options=None): s.t=0; s.r=np.random.RandomState(0); return s.r.rand(3).astype("f"),{}
    def step(s,a): s.t+=1; return s.r.rand(3).astype("f"), float(np.sum(a)), s.t>=20, False, {}
for A,k in ((PPO,dict(n_steps=32,batch_size=16,n_epochs=2)),(SAC,dict(learning_starts=20,buffer_size=200))):
    m=A("MlpPolicy",Env(),seed=1,policy_kwargs=dict(net_arch=[16]),**k); m.learn(70); print(A.__name__, m.predict(np.zeros(3,"f"),deterministic=True)[0].round(3))
""",
    ("kornia", "kornia"): """
import kornia as K, kornia.augmentation as A
torch.manual_seed(0); x=torch.rand(2,3,16,16); print(K.filters.gaussian_blur2d(x,(3,3),(1.,1.)).sum(), K.color.rgb_to_lab(x).mean(), K.geometry.rotate(x,torch.tensor([30.])).sum(), K.filters.canny(x)[1].sum(), K.metrics.ssim(x,x.flip(0),5).sum())
print([round(f(x).sum().item(),2) for f in (A.RandomAffine(30.,p=1.),A.RandomPerspective(p=1.),A.ColorJitter(.1,.1,.1,.1,p=1.),A.RandomElasticTransform(p=1.))])
""",
    ("monai", "monai"): """
from monai.networks.nets import SwinUNETR, UNet
from monai.losses import DiceCELoss
for m in (UNet(spatial_dims=2,in_channels=1,out_channels=2,channels=(4,8,16),strides=(2,2)),SwinUNETR(in_channels=1,out_channels=2,feature_size=12,spatial_dims=2)):
    for p in m.parameters(): torch.nn.init.constant_(p,.02)
    l=DiceCELoss(to_onehot_y=True,softmax=True)(m(torch.ones(2,1,64,64)),torch.ones(2,1,64,64)); l.backward(); print(type(m).__name__, round(l.item(),4))
""",
    ("normflows", "normflows"): """
import normflows as nf; torch.manual_seed(0); m=nf.NormalizingFlow(nf.distributions.DiagGaussian(2),[nf.flows.AutoregressiveRationalQuadraticSpline(2,1,16),nf.flows.LULinearPermute(2)]); l=m.forward_kld(torch.randn(32,2)); l.backward(); print(round(l.item(),4), m.sample(4)[0].shape)
""",
    ("snntorch", "snntorch"): """
import snntorch as snn; from snntorch import functional as SF, surrogate
torch.manual_seed(0); f=torch.nn.Linear(4,3); n=snn.Leaky(beta=.9,spike_grad=surrogate.fast_sigmoid()); mem=n.init_leaky(); o=[]
for x in torch.rand(10,2,4): s,mem=n(f(x),mem); o.append(s)
l=SF.ce_rate_loss()(torch.stack(o),torch.tensor([0,2])); l.backward(); print(round(l.item(),4), f.weight.grad.abs().sum())
""",
}
"""(name, library) -> a program, which begins with ``import torch``."""


def run_program(program, variables):
    """Return (True if a program succeeded, its output or the last line of its failure)."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", f"import torch\n{program}"],
        env=variables,
        capture_output=True,
        text=True,
        timeout=600,
    )
    worked = done.returncode == 0
    return worked, done.stdout if worked else (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]


def judge(theirs, ours):
    """Compare two results of ``run_program``; a program that fails on PyTorch, or prints nothing there, proves nothing."""
    worked, text = theirs
    if not worked or not text.strip():
        return f"no evidence, on PyTorch: {text!r}"
    return "the same" if theirs == ours else f"PyTorch {text!r}, tensh {'' if ours[0] else 'failed: '}{ours[1]!r}"


def main(wanted):
    """Run the programs, all or those that are named; 1 if two differ."""
    agreed = tried = 0
    for (name, library), program in PROGRAMS.items():
        if (wanted and name not in wanted) or importlib.util.find_spec(library) is None:
            continue
        verdict = judge(
            run_program(program, {**os.environ}), run_program(program, {**os.environ, **environment(os.environ)})
        )
        tried += not verdict.startswith("no evidence")
        agreed += verdict == "the same"
        print(f"{name}: {verdict}", flush=True)
    print(f"{agreed} of {tried} programs that work on PyTorch print the same")
    return agreed != tried


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
