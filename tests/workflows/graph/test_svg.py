"""Pictures of workflows: every box in its place, and every word as it is."""

import html
from itertools import combinations
from xml.etree import ElementTree

import pytest

from ossia_workflows.graph import Edge, Node, WorkflowGraph, write_svg
from ossia_workflows.scenario import load_scenario, shipped_scenarios

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<b>bold</b>",
    "<script>alert(1)</script>",
    r"back\nslash \N \G \l",
    '"];evil [label="x',
    "a & b &lt; &#60; c",
    "]]>-->",
    "a\x07bell and a\nline",
]


def boxes(picture):
    """The box of each node, as left, top, right and bottom."""
    found = {}
    for group in ElementTree.fromstring(picture).iter(f"{SVG}g"):
        if group.get("class") == "node":
            # A rounded box is a path of its corners and of points between them.
            d = next(group.iter(f"{SVG}path")).get("d").replace("C", " ").replace("M", "")
            points = [tuple(map(float, each.split(","))) for each in d.split()]
            xs, ys = zip(*points, strict=True)
            found[group.find(f"{SVG}title").text] = (min(xs), min(ys), max(xs), max(ys))
    return found


def texts(picture, kind):
    """The texts of nodes or edges, each with its place."""
    for group in ElementTree.fromstring(picture).iter(f"{SVG}g"):
        if group.get("class") == kind:
            for text in group.iter(f"{SVG}text"):
                yield text.text or "", float(text.get("x")), float(text.get("y")), group


def apart(one, other):
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


@pytest.mark.parametrize("name", shipped_scenarios())
def test_no_box_and_no_text_lies_on_another(name):
    graph = load_scenario(name).graph
    picture = write_svg(graph)
    found = boxes(picture)
    assert set(found) == {"START", "END", *(f"n_{node.id}" for node in graph.nodes)}
    # Half of the width that a text of this size has at least; its anchor is the middle.
    labels = {
        (said, x, y): (x - 2 * len(said), y - 8, x + 2 * len(said), y)
        for said, x, y, _ in texts(picture, "edge")
    }
    assert len(labels) == sum(edge.condition is not None for edge in graph.edges)
    for one, other in combinations([*found.values(), *labels.values()], 2):
        assert apart(one, other)


def test_the_words_of_a_box_stand_in_it():
    graph = load_scenario("ride-booking").graph
    picture = write_svg(graph)
    found, told = boxes(picture), {node.id: [] for node in graph.nodes}
    for said, x, y, group in texts(picture, "node"):
        name = group.find(f"{SVG}title").text
        left, top, right, bottom = found[name]
        assert left < x < right and top < y < bottom
        if name.startswith("n_"):
            told[name.removeprefix("n_")].append(said.strip("\xa0 "))
    for node in graph.nodes:
        assert " ".join(told[node.id]).startswith(node.task)


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_stay_words(words):
    graph = WorkflowGraph(
        nodes=(Node(id="a", task=words),),
        edges=(
            Edge(source="START", target="a"),
            Edge(source="a", target="a", condition=words),
            Edge(source="a", target="END"),
        ),
    )
    picture = write_svg(graph)
    kinds = {each.tag.removeprefix(SVG) for each in ElementTree.fromstring(picture).iter()}
    assert kinds == {"svg", "g", "title", "path", "polygon", "text"}
    plain = [each for each in words.split() if each.isprintable()]
    for kind in ("node", "edge"):
        said = " ".join(text for text, *_ in texts(picture, kind))
        assert all(part in html.unescape(said) or part in said for part in plain)
