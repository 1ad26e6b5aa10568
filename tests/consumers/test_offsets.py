from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from consumers.stream.offsets import Offsets, Prefix
from consumers.stream.ports import Partition

HERE, THERE = Partition("query-events", 0), Partition("query-events", 1)
RISING = st.lists(st.integers(0, 200), unique=True, max_size=30).map(sorted)


@given(RISING, st.randoms(use_true_random=False))
def test_the_point_is_always_after_the_longest_prefix_that_has_ended(offsets, random):
    prefix, ended = Prefix(), set()
    for offset in offsets:
        prefix.add(offset)
    for offset in random.sample(offsets, len(offsets)):
        prefix.end(offset)
        ended.add(offset)
        before = [each for place, each in enumerate(offsets) if ended.issuperset(offsets[: place + 1])]
        assert prefix.point == (before[-1] + 1 if before else None)
    assert not prefix.waiting


class Partitions(RuleBasedStateMachine):
    """Takes, ends, revokes and commits in any order, beside a model that knows what is durable."""

    def __init__(self) -> None:
        super().__init__()
        self.offsets = Offsets()
        self.next: dict[Partition, int] = {HERE: 0, THERE: 0}
        self.durable: dict[Partition, set[int]] = {HERE: set(), THERE: set()}
        self.under_way: list[tuple[Partition, Prefix, int]] = []

    @rule(partition=st.sampled_from([HERE, THERE]))
    def assign(self, partition):
        prefix = self.offsets.prefix(partition)
        self.next[partition] = (prefix.committed if prefix else None) or min(
            set(range(10_000)) - self.durable[partition]
        )
        self.offsets.assign([partition])

    @rule(partition=st.sampled_from([HERE, THERE]), count=st.integers(1, 5))
    def take(self, partition, count):
        prefix = self.offsets.prefix(partition)
        for _ in range(count):
            if prefix is None:
                return
            prefix.add(self.next[partition])
            self.under_way.append((partition, prefix, self.next[partition]))
            self.next[partition] += 1

    @precondition(lambda self: self.under_way)
    @rule(data=st.data())
    def end(self, data):
        partition, prefix, offset = self.under_way.pop(data.draw(st.integers(0, len(self.under_way) - 1)))
        self.durable[partition].add(offset)
        prefix.end(offset)

    @rule(partition=st.sampled_from([HERE, THERE]))
    def revoke(self, partition):
        self.offsets.revoke([partition])
        assert partition not in self.offsets.assigned

    @rule()
    def commit(self):
        points = self.offsets.due()
        self.offsets.committed(points)
        assert self.offsets.due() == {}

    @invariant()
    def nothing_is_due_that_is_not_durable(self):
        for partition, point in self.offsets.due().items():
            assert self.durable[partition].issuperset(range(point))


TestPartitions = Partitions.TestCase


def test_what_was_never_begun_is_left_to_others_and_what_was_is_waited_for():
    offsets = Offsets()
    offsets.assign([HERE])
    prefix = offsets.prefix(HERE)
    for offset in range(5):
        prefix.add(offset)
    prefix.forget(3)
    assert not offsets.have_ended([HERE])
    for offset in (2, 0, 1):
        prefix.end(offset)
    assert offsets.have_ended([HERE])
    assert offsets.due() == {HERE: 3}


def test_what_ends_after_its_partition_went_counts_for_nothing():
    offsets = Offsets()
    offsets.assign([HERE])
    old = offsets.prefix(HERE)
    old.add(7)
    offsets.revoke([HERE])
    offsets.assign([HERE])
    old.end(7)
    assert offsets.due() == {}
