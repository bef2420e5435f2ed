"""Workflow graphs for tests: some by hand, and any that can be built."""

from hypothesis import strategies as st

from ossia_workflows.graph import END, START, Edge, Node, WorkflowGraph

AWKWARD = st.sampled_from(
    [
        'say "hi"',
        "two\nlines",
        "[brackets] (round) {curly}",
        "a | b -> c --> d",
        "<br/>&#34;#quot;&amp;",
        "back\\slash\\n and \\",
        "Zürich 東京 🧭",
        "1: (1,2) (START,1)",
        "Edge: (1,2)",
        "Node:",
        "**bold**",
        "`code` %% comment // other # third",
        "\r\n\t\x00\x85\u2028\u202e\ufeff",
        "call f({})",
        "'''\"\"\"",
        "3.5 litres",
        "END",
    ]
)
TASKS = (AWKWARD | st.text(st.characters(exclude_categories=("Cs",)), min_size=1)).filter(
    lambda text: text.strip()
)
NAMES = st.from_regex(r"[A-Za-zü_0-9.:/-]{1,12}", fullmatch=True)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    PLAIN | AWKWARD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(AWKWARD, inner, max_size=3),
    max_leaves=5,
)


@st.composite
def graphs(draw) -> WorkflowGraph:
    ids = draw(
        st.lists(
            st.from_regex(r"[A-Za-z0-9_]{1,5}", fullmatch=True).filter(
                lambda name: name not in (START, END)
            ),
            unique=True,
            max_size=6,
        )
    )
    nodes = []
    for name in ids:
        tool = draw(st.none() | NAMES)
        arguments = {} if tool is None else draw(st.dictionaries(AWKWARD, VALUES, max_size=3))
        nodes.append(
            Node(
                id=name,
                task=draw(TASKS),
                tool=tool,
                arguments=arguments,
                needs=draw(st.lists(NAMES, max_size=2).map(tuple)),
                gives=draw(st.lists(NAMES, max_size=2).map(tuple)),
                asks=draw(st.lists(NAMES, max_size=2).map(tuple)),
                tells=draw(st.lists(NAMES, max_size=2).map(tuple)),
            )
        )
    edges = draw(
        st.lists(
            st.builds(
                Edge,
                source=st.sampled_from([START, *ids]),
                target=st.sampled_from([*ids, END]),
                condition=st.none() | TASKS,
            ),
            max_size=8,
        )
    )
    return WorkflowGraph(nodes=tuple(nodes), edges=tuple(edges))


def graph(edges: str, **nodes: dict) -> WorkflowGraph:
    """A graph of edges such as `START-1 1-2 2-END`; nodes may say more of themselves by name."""
    pairs = [tuple(pair.split("-")) for pair in edges.split()]
    ids = sorted({name for pair in pairs for name in pair} - {START, END} | set(nodes))
    return WorkflowGraph(
        nodes=tuple(
            Node(**{"id": name, "task": f"do {name}"} | nodes.get(name, {})) for name in ids
        ),
        edges=tuple(Edge(source=source, target=target) for source, target in pairs),
    )
