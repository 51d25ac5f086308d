"""The GPT of the measurements: 8 layers, width 1024, 16 heads, vocabulary 32000, and its training and decode steps."""

import torch
from torch import nn
from torch.nn import functional

LAYERS, WIDTH, HEADS, VOCABULARY, CONTEXT = 8, 1024, 16, 32000, 1024


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_attention = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.project = nn.Linear(WIDTH, WIDTH)
        self.norm_mlp = nn.LayerNorm(WIDTH)
        self.expand = nn.Linear(WIDTH, 4 * WIDTH)
        self.contract = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        batch, length, _ = x.shape
        heads = (batch, length, HEADS, WIDTH // HEADS)
        q, k, v = (
            part.view(heads).transpose(1, 2) for part in self.qkv(self.norm_attention(x)).split(WIDTH, dim=2)
        )
        attention = functional.scaled_dot_product_attention(q, k, v, is_causal=length > 1)
        x = x + self.project(attention.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.contract(functional.gelu(self.expand(self.norm_mlp(x))))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(VOCABULARY, WIDTH)
        self.position = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens, positions):
        x = self.token(tokens) + self.position(positions)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))

    def matmul_weights(self):
        """Weights that take part in matrix products: what 6 P T counts (embeddings are looked up, not multiplied)."""
        return sum(m.weight.numel() for m in self.modules() if isinstance(m, nn.Linear))


class range_of:
    """An NVTX range as a with block."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        torch.cuda.nvtx.range_push(self.name)

    def __exit__(self, *exception):
        torch.cuda.nvtx.range_pop()


def make_train_step(batch=8):
    """A function that does one training step (bf16 autocast, AdamW), and its facts."""
    torch.manual_seed(1)
    with torch.device("cuda"):
        model = Gpt()
        tokens = torch.randint(VOCABULARY, (batch, CONTEXT))
        targets = torch.randint(VOCABULARY, (batch * CONTEXT,))
        positions = torch.arange(CONTEXT)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step():
        with range_of("forward"), torch.autocast("cuda", dtype=torch.bfloat16):
            logits = model(tokens, positions)
            loss = functional.cross_entropy(logits.view(-1, VOCABULARY), targets)
        with range_of("backward"):
            loss.backward()
        with range_of("optimizer"):
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)

    weights = model.matmul_weights()
    return step, {
        "tokens_per_step": batch * CONTEXT,
        "matmul_weights": weights,
        "flop_per_step": 6 * weights * batch * CONTEXT,
        "flop_formula": "6 P T: matrix-product weights x tokens, attention not included",
    }


def make_decode_step(graph=False):
    """A function that decodes one token (batch 1, bf16 weights, no KV cache), and its facts."""
    torch.manual_seed(1)
    with torch.device("cuda"):
        model = Gpt().to(torch.bfloat16).eval()
        token = torch.zeros((1, 1), dtype=torch.long)
        position = torch.zeros((1,), dtype=torch.long)

    @torch.no_grad()
    def eager():
        token.copy_(model(token, position)[:, -1:].argmax(dim=-1))

    weights = model.matmul_weights()
    facts = {
        "tokens_per_step": 1,
        "matmul_weights": weights,
        "flop_per_step": 2 * weights,
        "weight_bytes_per_step": 2 * weights,
        "flop_formula": "2 P a token",
        "graph": graph,
    }
    if not graph:
        return eager, facts
    side = torch.cuda.Stream()  # capture needs a warmed-up program on a stream of its own
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            eager()
    torch.cuda.current_stream().wait_stream(side)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        eager()
    return captured.replay, facts
