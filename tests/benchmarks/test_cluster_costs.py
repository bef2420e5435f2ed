"""What a cluster costs: without Ray the table says so, and counts as not measured."""

from benchmarks import cluster_costs


def test_without_ray_the_table_is_broken_and_nothing_is_played(monkeypatch):
    monkeypatch.setattr(cluster_costs, "find_spec", lambda name: None)
    table = cluster_costs.cluster_costs(("control", "langgraph"), quick=True)
    (row,) = table.rows
    assert row.verdict == "broken: Ray is not installed"
    assert len(row.cells) == len(table.columns)


def test_the_goal_of_a_framework_is_a_share_of_its_episode():
    alone, more = (cluster_costs.Spread.of([value]) for value in (200.0, 9.0))
    assert cluster_costs._framework(alone, more).value == 4.5
    assert cluster_costs._framework(alone, more).met
    assert not cluster_costs._control(alone, more).met
