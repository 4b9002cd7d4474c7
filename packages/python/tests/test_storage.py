"""Groups, objects, files, metadata, time travel, partitions."""

from __future__ import annotations

import datetime
import io
import pickle
import random
import subprocess
import sys
import unittest
from pathlib import Path

import support

import tiledb_rs
from tiledb_rs import Context, Group, Partition, TileDBError, field


class Groups(support.LibraryTest):
    def test_members_are_added_with_one_write(self):
        group = Group.create(self.path("group"))
        names = [f"array {at}" for at in range(20)]
        for name in names:
            self.dense(f"group/{name}")
        group.add_all({name: name for name in names})
        self.assertEqual(sorted(member.name for member in group.members), sorted(names))
        self.assertTrue(all(member.relative for member in group.members))
        self.assertEqual(len(list((self.folder / "group" / "__group").iterdir())), 1)
        group.add_all({})
        self.assertRaises(TypeError, group.add_all, names)
        # Of one that cannot be added, none is.
        self.dense("other")
        self.assertRaises(ValueError, group.add_all, {"other": self.path("other"), "no\0name": self.path("other")})
        self.assertEqual(len(group), 20)

    def test_members(self):
        group = Group.create(self.path("group"))
        array, other = self.sparse("a"), self.dense("b")
        group.add(array, "first")
        group.add(other.uri)
        inner = Group.create(self.path("group/inner"))
        group.add("inner", "inner", relative=True)
        self.assertEqual(len(group), 3)
        found = {member.name: (member.type, member.relative) for member in group}
        self.assertEqual({name: found[name] for name in ("first", "inner")}, {"first": ("array", False), "inner": ("group", True)})
        self.assertEqual(group["first"].count(), 4)
        self.assertEqual(group["inner"].uri.rpartition("/")[2], "inner")
        self.assertIn("first", group)
        self.assertNotIn("other", group)
        group.remove("first")
        self.assertNotIn("first", group)
        self.assertEqual(array.count(), 4)
        group.metadata["k"] = [1.5, 2.5]
        self.assertEqual(dict(Group(group.uri).metadata), {"k": (1.5, 2.5)})
        del group.metadata["k"]
        self.assertEqual(len(group.metadata), 0)
        for wrong, error in [
            (lambda: group["nothing"], KeyError),
            (lambda: group.remove("nothing"), TileDBError),
            (lambda: group.add(5), TypeError),
            (lambda: group.add("x", "y\0"), ValueError),
            (lambda: Group(self.path("nothing")), TileDBError),
            (lambda: Group(array.uri), TileDBError),
            (lambda: Group.create(group.uri), TileDBError),
            (lambda: Group(group.uri, at=5).delete(), ValueError),
        ]:
            self.assertRaises(error, wrong)
        self.assertEqual(inner.members, ())
        group.delete(recursive=True)
        self.assertFalse(tiledb_rs.exists(group.uri))

    def test_time_travel(self):
        import time

        group = Group.create(self.path("group"))
        time.sleep(0.002)
        before = int(time.time() * 1000)
        time.sleep(0.002)
        group.add(self.sparse("a"), "a")
        self.assertEqual((len(Group(group.uri, at=before)), len(Group(group.uri))), (0, 1))


class Objects(support.LibraryTest):
    def test_objects_of_the_other_kind(self):
        group, array = Group.create(self.path("group")), self.sparse("cells")
        with self.assertRaisesRegex(TileDBError, "there is a group at .*group, not an array: open it with tiledb_rs.Group"):
            tiledb_rs.open(group.uri)
        with self.assertRaisesRegex(TileDBError, "there is an array at .*cells, not a group: open it with tiledb_rs.open"):
            Group(array.uri).members
        with self.assertRaisesRegex(TileDBError, "does not exist"):
            tiledb_rs.open(self.path("nothing"))

    def test_types_and_changes(self):
        array, group = self.sparse("array"), Group.create(self.path("group"))
        (self.folder / "file").write_bytes(b"")
        self.assertEqual(
            [tiledb_rs.object_type(one) for one in (array, group.uri, self.path("file"), self.path("nothing"), self.folder)],
            ["array", "group", None, None, None],
        )
        self.assertEqual(sorted(kind for _, kind in tiledb_rs.ls(self.folder)), ["array", "group"])
        seen = []
        copied = tiledb_rs.copy(array, self.path("group/copy"), progress=lambda done, total: seen.append((done, total)))
        self.assertEqual((copied.arrays, copied.is_snapshot, copied.bytes), (1, True, seen[-1][1]))
        self.assertTrue(all(done <= total for done, total in seen) and copied.files > 0)
        again = tiledb_rs.copy(array, self.path("group/copy"), resume=True, check=True)
        self.assertEqual((again.files, again.already_there, again.differing), (0, copied.files, 0))
        self.assertEqual(tiledb_rs.copy(array, self.path("other"), dry_run=True).files, copied.files)
        with self.assertRaisesRegex(TileDBError, "stopped after"):
            tiledb_rs.copy(array, self.path("other"), progress=lambda done, total: False)
        self.assertFalse(tiledb_rs.exists(self.path("other")))
        self.assertEqual(tiledb_rs.open(self.path("group/copy")).count(), 4)
        self.assertEqual(len(tiledb_rs.ls(self.folder, recursive=True)), 3)
        tiledb_rs.move(array, self.path("moved"))
        self.assertEqual((tiledb_rs.exists(array.uri), tiledb_rs.exists(self.path("moved"))), (False, True))
        for wrong, error in [
            (lambda: tiledb_rs.copy(array, self.path("x")), FileNotFoundError),
            (lambda: tiledb_rs.copy(self.path("moved"), group), FileExistsError),
            (lambda: tiledb_rs.remove(self.path("nothing")), TileDBError),
            (lambda: tiledb_rs.move(self.path("nothing"), self.path("y")), TileDBError),
            (lambda: tiledb_rs.exists(5), TypeError),
            (lambda: tiledb_rs.ls(""), ValueError),
        ]:
            self.assertRaises(error, wrong)
        tiledb_rs.remove(self.path("moved"))
        self.assertFalse(tiledb_rs.exists(self.path("moved")))

    def test_files(self):
        uri = self.path("file")
        with tiledb_rs.open_file(uri, "wb") as file:
            self.assertEqual((file.write(b"hello "), file.write(bytearray(b"world")), file.tell()), (6, 5, 11))
            self.assertRaises(io.UnsupportedOperation, file.read)
        with tiledb_rs.open_file(uri, "ab") as file:
            file.write(memoryview(b"!"))
        with tiledb_rs.open_file(uri) as file:
            self.assertEqual((file.read(5), file.read(), file.read()), (b"hello", b" world!", b""))
            self.assertEqual((file.seek(-6, 2), file.read(5), file.seek(100), file.read(1)), (6, b"world", 100, b""))
            self.assertRaises(ValueError, file.seek, -1)
            self.assertRaises(io.UnsupportedOperation, file.write, b"")
        self.assertRaises(ValueError, file.read)
        file.close()
        with io.BufferedReader(tiledb_rs.open_file(uri)) as buffered:
            self.assertEqual(buffered.peek(2)[:2] + buffered.read(), b"hehello world!")
        self.assertTrue(any(name.endswith("/file") for name in tiledb_rs.list_files(self.folder)))
        for wrong, error in [
            (lambda: tiledb_rs.open_file(self.path("nothing")), FileNotFoundError),
            (lambda: tiledb_rs.open_file(uri, "x"), ValueError),
            (lambda: tiledb_rs.open_file(self.folder), FileNotFoundError),
            (lambda: tiledb_rs.open_file("bad\0name"), ValueError),
        ]:
            self.assertRaises(error, wrong)


class MetadataTest(support.LibraryTest):
    def test_values(self):
        array = self.sparse()
        values = {
            "i": 5,
            "big": (1 << 64) - 1,
            "f": 1.5,
            "mixed": (1.0, 2.5),
            "s": "ü",
            "empty": "",
            "b": b"\0\xff",
            "t": True,
            "list": (1, 2, 3),
            "none": b"",
            "day": datetime.date(2024, 5, 31),
            "delta": datetime.timedelta(seconds=5),
            "bools": (True, False),
        }
        array.metadata.update({**values, "list": [1, 2, 3], "mixed": [1, 2.5]})
        found = array.metadata
        self.assertEqual(dict(found), values)
        self.assertEqual({name: found[name] for name in found}, values)
        self.assertEqual((len(found), "i" in found, "j" in found, 5 in found), (len(values), True, False, False))
        del found["i"]
        self.assertEqual(found.pop("f"), 1.5)
        self.assertEqual(found.setdefault("new", 7), 7)
        self.assertIn("'new': 7", repr(found))
        for key, value, error in [
            ("k", None, TypeError),
            ("k", [], ValueError),
            ("k", ["a"], TypeError),
            ("k", [1, "a"], TypeError),
            ("k", 1 << 64, ValueError),
            (5, 1, TypeError),
            ("a\0", 1, ValueError),
            ("k", {}, TypeError),
            ("k", object(), TypeError),
        ]:
            with self.subTest(key=key, value=value), self.assertRaises(error):
                found[key] = value
        for key in ["nothing", "i"]:
            with self.assertRaises(KeyError):
                found[key]
            with self.assertRaises(KeyError):
                del found[key]

    @support.needs("numpy")
    def test_numpy_values(self):
        import numpy

        array = self.sparse()
        for name, value in [
            ("a", numpy.arange(3, dtype="i2")),
            ("b", numpy.float32(1.5)),
            ("c", numpy.array([1, 2], ">u4")),
            ("d", numpy.datetime64("2024-05-31", "D")),
        ]:
            array.metadata[name] = value
        self.assertEqual(dict(array.metadata), {"a": (0, 1, 2), "b": 1.5, "c": (1, 2), "d": datetime.date(2024, 5, 31)})
        for value in [numpy.zeros((2, 2)), numpy.array(["a"]), numpy.array([None])]:
            self.assertRaises(TypeError, array.metadata.__setitem__, "k", value)


class TimeTravel(support.LibraryTest):
    def test_moments(self):
        array = tiledb_rs.create(self.path(), tiledb_rs.Schema([tiledb_rs.Dimension("d", (0, 99))], [tiledb_rs.Attribute("x", int)], sparse=True))
        noon = datetime.datetime(2024, 5, 31, 12, tzinfo=datetime.timezone.utc)
        start = int(noon.timestamp() * 1000)
        array.write({"d": [1], "x": [1]}, at=5)
        array.write({"d": [2], "x": [2]}, at=noon)
        array.write({"d": [3], "x": [3]}, at="2024-05-31T12:00:00.001Z")
        berlin = noon.astimezone(datetime.timezone(datetime.timedelta(hours=2)))
        for at, cells in [
            (None, [1, 2, 3]),
            (4, []),
            (5, [1]),
            (start, [1, 2]),
            (noon, [1, 2]),
            (berlin, [1, 2]),
            ("2024-05-31T12:00", [1, 2]),
            ("2024-05-31T14:00+02:00", [1, 2]),
            ("2024-05-31", [1]),
            (datetime.date(2024, 6, 1), [1, 2, 3]),
            ((6, None), [2, 3]),
            ((6, start), [2]),
            ((None, 5), [1]),
            ([5, 5], [1]),
            ("2025", [1, 2, 3]),
            (noon.replace(tzinfo=None), [1, 2]),
        ]:
            with self.subTest(at=at):
                found = tiledb_rs.open(array, at=at)
                self.assertEqual(found.read("d", order="C").to_pydict()["d"], cells)
                self.assertEqual(found.at, at)
        self.assertEqual(tiledb_rs.open(array, at=(5, 7)).timestamp_range, (5, 7))
        past = tiledb_rs.open(array, at=5)
        self.assertEqual(past.write({"d": [9], "x": [9]}), 1)
        self.assertEqual((past.count(), array.reopen().count()), (1, 4))
        array.delete("x = 2")
        self.assertEqual((array.count(), tiledb_rs.open(array, at=start).count()), (3, 2))
        for at, error in [
            (-1, ValueError),
            (1 << 64, ValueError),
            ("yesterday", ValueError),
            (1.5, TypeError),
            (True, TypeError),
            ((5, 4), ValueError),
            ((1, 2, 3), ValueError),
            (object(), TypeError),
            ("2024-02-30T99", ValueError),
            ((), ValueError),
            (datetime.datetime(1969, 1, 1), ValueError),
        ]:
            with self.subTest(at=at), self.assertRaises(error):
                tiledb_rs.open(array, at=at)

    def test_deletes(self):
        array = self.sparse()
        array.delete(field("x").isin([10, 20]))
        self.assertEqual(array.read("x").to_pydict(), {"x": [30, 500]})
        for where, error in [(None, TypeError), ("", ValueError), ("z = 1", ValueError), (5, TypeError)]:
            with self.assertRaises(error):
                array.delete(where)
        self.assertRaises(TileDBError, self.dense("dense").delete, "v = 1")
        self.assertEqual(array.count(), 2)

    def test_deletes_by_values_that_an_enumeration_lacks(self):
        def array(name, nullable=False):
            schema = tiledb_rs.Schema(
                [tiledb_rs.Dimension("d", (0, 9))],
                [tiledb_rs.Attribute("e", "INT8", nullable=nullable, enumeration=tiledb_rs.Enumeration("names", ["x", "y"]))],
                sparse=True,
            )
            made = tiledb_rs.create(self.path(name), schema)
            made.write({"d": [0, 1, 2], "e": ["x", "y", "x"]})
            return made

        for at, (where, left) in enumerate(
            [
                ("e = 'nope'", [0, 1, 2]),
                ("e in ('nope', 'neither')", [0, 1, 2]),
                ("d = 1 and e = 'nope'", [0, 1, 2]),
                ("d = 1 or e = 'nope'", [0, 2]),
                ("(e = 'nope' or e = 'x') and d < 2", [1, 2]),
                ("e != 'nope' and d = 2", [0, 1]),
                ("e is null", [0, 1, 2]),
                ("e is not null and d = 2", [0, 1]),
            ]
        ):
            with self.subTest(where=where):
                one = array(str(at))
                one.delete(where)
                self.assertEqual(sorted(one.read("d").to_pydict()["d"]), left)
                self.assertEqual(len(list(Path(one.uri).glob("__commits/*.del"))), len(left) < 3)
        for nullable, where in ((False, "e != 'nope'"), (False, "e is not null"), (True, "e not in ('nope', 'neither')")):
            one = array(f"all {nullable} {at} {where[5:8]}", nullable)
            with self.subTest(where=where), self.assertRaisesRegex(TileDBError, "All cells meet the condition"):
                one.delete(where)


class Partitions(support.LibraryTest):
    def many(self):
        schema = tiledb_rs.Schema(
            [tiledb_rs.Dimension("d", (0, 9_999), tile=100), tiledb_rs.Dimension("s", dtype=str)],
            [tiledb_rs.Attribute("x", int)],
            sparse=True,
            capacity=10,
        )
        array = tiledb_rs.create(self.path(), schema)
        array.write({"d": list(range(1_000)), "s": [f"k{at % 7}" for at in range(1_000)], "x": list(range(1_000))}, at=10)
        return array

    def test_together_they_are_the_read(self):
        array = self.many()
        expected = sorted(array.read("x").to_pydict()["x"])
        for options in [
            {"n": 1},
            {"n": 7},
            {"n": 100_000},
            {"bytes": 1_000},
            {"bytes": 1},
            {"bytes": 1 << 62},
            {"n": 3, "fields": ["x"]},
        ]:
            with self.subTest(options=options):
                parts = array.partitions(**options)
                self.assertEqual(sorted(value for part in parts for value in part.read("x").to_pydict()["x"]), expected)
                self.assertEqual([part.number for part in parts], list(range(len(parts))))
        self.assertEqual(array.partitions(n=3, fields="x")[0].read().fields, ("x",))
        parts = array.partitions(4, ranges={"d": (100, 499), "s": ("k1", "k3")}, where="x < 400")
        self.assertEqual(
            sorted(value for part in parts for value in part.read("x", where="x >= 200").to_pydict()["x"]),
            [at for at in range(200, 400) if at % 7 in (1, 2, 3)],
        )
        self.assertTrue(all(100 <= low <= high <= 499 for part in parts for low, high in part.ranges["d"]))

    def test_dense(self):
        array = self.dense()
        parts = array.partitions(3)
        self.assertEqual(sorted(value for part in parts for value in part.read("v").to_pydict()["v"]), [float(at) for at in range(12)])

    def test_partitions_of_the_empty_string(self):
        """The range "" of a string dimension is not that of a dimension without ranges."""
        dimensions = [tiledb_rs.Dimension("s", dtype=str), tiledb_rs.Dimension("d", (0, 99))]
        array = tiledb_rs.create(self.path(), tiledb_rs.Schema(dimensions, [tiledb_rs.Attribute("x", "INT32")], sparse=True))
        array.write({"s": ["", "a", "b", ""], "d": [1, 2, 3, 4], "x": [1, 2, 3, 4]})
        for ranges, values in [({"s": ""}, [1, 4]), ({"s": ["", "b"]}, [1, 3, 4]), ({"s": ("", "a")}, [1, 2, 4]), ({"d": (2, 3)}, [2, 3]), (None, [1, 2, 3, 4])]:
            for count in (1, 2, 5):
                with self.subTest(ranges=ranges, count=count):
                    parts = pickle.loads(pickle.dumps(array.partitions(count, ranges=ranges)))
                    self.assertEqual(sorted(x for part in parts for x in part.read("x").to_pydict()["x"]), values)

    def test_partitions_of_random_dimensions(self):
        """Each cell is in one part, whichever dimensions the parts are cut along."""
        dice = random.Random(5)
        kinds = [
            (dict(dtype=str), lambda: "".join(dice.choices("ab", k=dice.randrange(4)))),
            (dict(domain=(-5, 99), dtype="INT16"), lambda: dice.randrange(-5, 20)),
            (dict(domain=(-1e9, 1e9), dtype="FLOAT64"), lambda: dice.choice((0.0, -1.5, 1e8, dice.random()))),
            (dict(domain=("1900-01-01", "2100-01-01"), dtype="DATETIME_DAY"), lambda: dice.randrange(-9, 9)),
        ]
        for seed in range(40):
            chosen, count = dice.choices(kinds, k=dice.randrange(1, 4)), dice.choice((1, 3, 20, 200))
            dimensions = [tiledb_rs.Dimension(f"d{at}", **options) for at, (options, _) in enumerate(chosen)]
            schema = tiledb_rs.Schema(dimensions, [tiledb_rs.Attribute("x", "INT32")], sparse=True, allows_duplicates=True, capacity=dice.choice((1, 7, 100)))
            array = tiledb_rs.create(self.path(str(seed)), schema)
            array.write({"x": range(count), **{f"d{at}": [make() for _ in range(count)] for at, (_, make) in enumerate(chosen)}})
            for wanted in (1, 2, 3, 7, 10**9):
                parts = pickle.loads(pickle.dumps(array.partitions(wanted)))
                with self.subTest(seed=seed, wanted=wanted, dimensions=[str(one.dtype) for one in dimensions]):
                    self.assertLessEqual(len(parts), min(wanted, count))
                    self.assertEqual(sorted(x for part in parts for x in part.read("x").to_pydict()["x"]), list(range(count)))

    def test_pickled_partitions_are_read_elsewhere_and_as_of_their_time(self):
        context = Context({"vfs.s3.aws_secret_access_key": "secret", "vfs.s3.region": "here", "sm.mem.total_budget": 1 << 30})
        array = self.many()
        parts = tiledb_rs.open(array, context=context).partitions(2, where=field("x") > 10)
        array.write({"d": [9_999], "s": ["zz"], "x": [12_345]})
        content = pickle.dumps(parts)
        self.assertNotIn(b"secret", content)
        self.assertEqual(pickle.loads(content), parts)
        self.assertLess(len(pickle.dumps(parts[0])), 2_000)
        self.assertEqual(parts[0].config, {"vfs.s3.region": "here", "sm.mem.total_budget": 1 << 30})
        (self.folder / "parts").write_bytes(content)
        program = f"import pickle, tiledb_rs\nparts = pickle.load(open({str(self.folder / 'parts')!r}, 'rb'))\nprint(sum(len(part.read('x').to_pylist()) for part in parts))"
        self.assertEqual(
            subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=support.environment()).stdout,
            "989\n",
        )
        secrets = tiledb_rs.open(array, context=context).partitions(1, secrets=True)[0]
        self.assertEqual(secrets.config["vfs.s3.aws_secret_access_key"], "secret")
        self.assertEqual(Partition.__module__, "tiledb_rs")

    def test_wrong_arguments(self):
        array = self.many()
        for options, error in [
            ({}, TypeError),
            ({"n": 1, "bytes": 1}, TypeError),
            ({"n": 0}, ValueError),
            ({"n": -1}, ValueError),
            ({"n": 1.5}, ValueError),
            ({"n": True}, ValueError),
            ({"bytes": 0}, ValueError),
            ({"n": 1, "fields": ["z"]}, KeyError),
            ({"n": 1, "ranges": {"z": 1}}, KeyError),
            ({"n": 1 << 70}, ValueError),
            ({"n": 1, "where": "z = 1"}, ValueError),
        ]:
            with self.subTest(options=options), self.assertRaises(error):
                array.partitions(**options)


if __name__ == "__main__":
    unittest.main()
