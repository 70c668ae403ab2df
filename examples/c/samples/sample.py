"""The C interface in Python, by ctypes and numpy. Prints one hash, as all samples do.

    python3 sample.py <target>/release/libfloodplain_c.so
"""

import ctypes as c
import sys

import numpy as np

OK, BUFFER = 0, 6
WATER, MATERIALS = 1, 8
SHEET, CUBE = 0, 1
LOSSLESS = 1
SOLID, OPEN = 0x3F, 0
CHUNK_CELLS = 4096
SET_SOLID, FILL_SOLID, ADD_SOURCE, POUR = 1, 3, 4, 6
RAIN, CHARGE = 34, 35
SET_RAIN, SET_ROCK = 50, 52
SET_PRESSURE, SET_WALL = 64, 67
WAVE = 1

fp = c.CDLL(sys.argv[1])


class Edit(c.Structure):
    _fields_ = [("kind", c.c_uint32), ("cell", c.c_int32 * 3), ("to", c.c_int32 * 3),
                ("units", c.c_uint32), ("option", c.c_uint32), ("face", c.c_uint32),
                ("level", c.c_int32), ("reserved", c.c_uint32),
                ("value", c.c_double), ("value2", c.c_double)]


class Outcome(c.Structure):
    _fields_ = [("kind", c.c_uint32), ("changed", c.c_uint32), ("units", c.c_uint64),
                ("moved", c.c_uint32), ("removed", c.c_uint32), ("material", c.c_uint32),
                ("reserved", c.c_uint32), ("moisture", c.c_uint64), ("value", c.c_double)]


class Progress(c.Structure):
    _fields_ = [("visited", c.c_uint64), ("changed", c.c_uint64), ("moved", c.c_uint64),
                ("all_visited", c.c_uint64), ("finished", c.c_uint64)]


class Content(c.Structure):
    _fields_ = [("chunk", c.c_int32 * 3), ("reserved", c.c_uint32),
                ("materials", c.c_void_p), ("material_count", c.c_size_t),
                ("water", c.c_void_p), ("water_count", c.c_size_t),
                ("moisture", c.c_void_p), ("moisture_count", c.c_size_t)]


class HumidityCell(c.Structure):
    _fields_ = [("humidity", c.c_double), ("impermeability", c.c_float), ("rain", c.c_uint32)]


class BlastRules(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("rule", c.c_uint32), ("coefficient", c.c_double),
                ("damping", c.c_double), ("threshold", c.c_double)]


class Probe(c.Structure):
    _fields_ = [("cell", c.c_int32 * 3), ("reserved", c.c_uint32), ("cross_section", c.c_double),
                ("impulse", c.c_double * 3), ("exposure", c.c_double)]


class Mesh(c.Structure):
    _fields_ = [("positions", c.c_void_p), ("normals", c.c_void_p), ("flow", c.c_void_p),
                ("vertex_capacity", c.c_size_t), ("vertex_count", c.c_size_t),
                ("indices", c.c_void_p), ("index_capacity", c.c_size_t),
                ("index_count", c.c_size_t)]


# The rules and limits that the sample leaves as they are filled in: their sizes.
WATER_RULES, MATERIALS_RULES, HUMIDITY_RULES, LIMITS = 80, 248, 52, 72


def declare(**functions):
    """Says what functions take: without that, ctypes passes numbers as 32 bits."""
    for name, arguments in functions.items():
        getattr(fp, name).argtypes = arguments


P, I, U, Q, S = c.c_void_p, c.c_int32, c.c_uint32, c.c_uint64, c.c_size_t
declare(
    fp_last_error=[P, S, P], fp_world_free=[P], fp_world_state_hash=[P, P],
    fp_water_rules_default=[U, P], fp_materials_rules_default=[P], fp_humidity_rules_default=[P],
    fp_blast_rules_default=[P], fp_limits_default=[P],
    fp_water_new=[Q, P, P, P], fp_materials_new=[Q, P, S, P, P, P],
    fp_humidity_new=[U, P, P, P], fp_blast_new=[U, P, P, P, P],
    fp_water_insert_chunks=[P, P, S, P, S], fp_materials_insert_chunks=[P, P, S],
    fp_humidity_insert_chunk=[P, I, I, I, P, S], fp_water_chunk=[P, I, I, I, P, S, P],
    fp_world_apply=[P, P, P], fp_world_apply_bytes=[P, P, S, P, P], fp_world_queue=[P, P, P],
    fp_edit_bytes=[U, P, P, S, P], fp_world_step=[P, P], fp_world_step_within=[P, Q, P],
    fp_world_step_for=[P, Q, P], fp_world_run=[P, Q, P], fp_view_mesh=[P, I, I, I, P],
    fp_world_remove_chunks=[P, P, S, P], fp_world_take_records=[P, P, S, P],
    fp_world_insert_records=[P, P, S], fp_world_snapshot=[P, P, S, P], fp_world_load=[U, P, S, P],
    fp_record_start=[P, Q, Q, P], fp_record_bytes=[P, P, S, P], fp_record_replay=[U, P, S, P],
    fp_blast_run_probed=[P, Q, P, S, P],
)


def check(status):
    """Raises the words of a call that failed."""
    if status != OK:
        words, length = c.create_string_buffer(512), c.c_size_t()
        fp.fp_last_error(words, 512, c.byref(length))
        raise RuntimeError(f"status {status}: {words.raw[:length.value].decode()}")


def filled(call, kind=np.uint8):
    """Returns the list that a function fills, as an array."""
    length = c.c_size_t()
    status = call(None, 0, c.byref(length))
    if status != BUFFER:
        check(status)
    out = np.empty(length.value, kind)
    check(call(out.ctypes.data, out.size, c.byref(length)))
    return out


class World:
    """A world, freed with its last reference."""

    def __init__(self, call, *arguments):
        self.handle = c.c_void_p()
        check(call(*arguments, c.byref(self.handle)))

    def __del__(self):
        fp.fp_world_free(self.handle)

    def edit(self, kind, cell, **fields):
        edit = Edit(kind=kind, cell=cell, **fields)
        outcome = Outcome()
        check(fp.fp_world_apply(self.handle, c.byref(edit), c.byref(outcome)))
        return outcome

    def run(self, steps):
        check(fp.fp_world_run(self.handle, steps, None))

    def hash(self):
        hash = c.c_uint64()
        check(fp.fp_world_state_hash(self.handle, c.byref(hash)))
        return hash.value

    def filled(self, call, kind=np.uint8):
        return filled(lambda *room: call(self.handle, *room), kind)


def positions(*chunks):
    return np.array(chunks, np.int32).ctypes.data_as(c.c_void_p)


def new_water():
    rules = c.create_string_buffer(WATER_RULES)
    check(fp.fp_water_rules_default(LOSSLESS, rules))
    world = World(fp.fp_water_new, 7, rules, None)
    words = np.full((16, 16, 16), OPEN, np.uint16)  # y, z, x
    words[0] = SOLID
    index = np.arange(256, 512).reshape(16, 16)
    words[1][index % 5 == 0] = 3
    check(fp.fp_water_insert_chunks(world.handle, positions([0, 0, 0]), 1, words.ctypes.data,
                                    CHUNK_CELLS))
    one = np.array([OPEN], np.uint16)
    check(fp.fp_water_insert_chunks(world.handle, positions([1, 0, 0]), 1, one.ctypes.data, 1))
    world.edit(FILL_SOLID, (16, 0, 0), to=(31, 0, 15))
    read = filled(lambda *room: fp.fp_water_chunk(world.handle, 0, 0, 0, *room), np.uint16)
    assert np.array_equal(read.reshape(16, 16, 16) & 7, words & 7)
    return world


def twenty_ticks(world):
    for _ in range(5):
        check(fp.fp_world_step(world.handle, None))
    progress = Progress()
    for _ in range(5):
        progress.finished = 0
        while not progress.finished:
            check(fp.fp_world_step_within(world.handle, 200, c.byref(progress)))
    progress.finished = 0
    while not progress.finished:
        check(fp.fp_world_step_for(world.handle, 4_000_000, c.byref(progress)))
    world.run(9)


def mesh_of(world, chunk):
    """Returns the corners and the triangles of the water in a chunk, as arrays."""
    mesh = Mesh()
    status = fp.fp_view_mesh(world.handle, *chunk, c.byref(mesh))
    if status != BUFFER:
        check(status)
    corners = np.empty((mesh.vertex_count, 3), np.float32)
    triangles = np.empty((mesh.index_count // 3, 3), np.uint32)
    mesh.positions, mesh.vertex_capacity = corners.ctypes.data, mesh.vertex_count
    mesh.indices, mesh.index_capacity = triangles.ctypes.data, mesh.index_count
    check(fp.fp_view_mesh(world.handle, *chunk, c.byref(mesh)))
    return corners, triangles


def water():
    world = new_water()
    world.edit(ADD_SOURCE, (8, 4, 8))
    assert world.edit(POUR, (20, 5, 8), units=7).units == 7
    check(fp.fp_world_queue(world.handle, c.byref(Edit(kind=SET_SOLID, cell=(5, 1, 8))), None))
    twenty_ticks(world)
    corners, triangles = mesh_of(world, (0, 0, 0))
    assert triangles.max() < len(corners) and corners.max() <= 16

    limits = c.create_string_buffer(LIMITS)
    check(fp.fp_limits_default(limits))
    pour = Edit(kind=POUR, cell=(3, 9, 3), units=7)
    sent = filled(lambda *room: fp.fp_edit_bytes(WATER, c.byref(pour), *room))
    check(fp.fp_world_apply_bytes(world.handle, sent.ctypes.data, sent.size, limits, None))
    check(fp.fp_world_remove_chunks(world.handle, positions([1, 0, 0]), 1, None))
    records = world.filled(fp.fp_world_take_records)
    world.run(3)
    check(fp.fp_world_insert_records(world.handle, records.ctypes.data, records.size))
    world.run(7)
    saved = world.filled(fp.fp_world_snapshot)
    loaded = World(fp.fp_world_load, WATER, saved.ctypes.data, saved.size)
    assert loaded.hash() == world.hash()
    return world.hash()


def materials():
    rules = c.create_string_buffer(MATERIALS_RULES)
    check(fp.fp_materials_rules_default(rules))
    world = World(fp.fp_materials_new, 5, None, 0, rules, None)
    cells = np.zeros((16, 16, 16), np.uint8)
    cells[:8] = 2
    content = Content(materials=cells.ctypes.data, material_count=cells.size)
    check(fp.fp_materials_insert_chunks(world.handle, c.byref(content), 1))
    check(fp.fp_record_start(world.handle, 10, 0, None))
    world.edit(RAIN, (8, 15, 8), units=40)
    world.edit(CHARGE, (4, 8, 4), value=500, value2=2)
    world.run(40)
    recording = world.filled(fp.fp_record_bytes)
    again = World(fp.fp_record_replay, MATERIALS, recording.ctypes.data, recording.size)
    assert again.hash() == world.hash()
    return world.hash()


def humidity():
    rules = c.create_string_buffer(HUMIDITY_RULES)
    check(fp.fp_humidity_rules_default(rules))
    world = World(fp.fp_humidity_new, SHEET, rules, None)
    loam = HumidityCell(humidity=0, impermeability=2)
    check(fp.fp_humidity_insert_chunk(world.handle, 0, 0, 0, c.byref(loam), 1))
    world.edit(SET_RAIN, (30, 63, 0), value=1000)
    world.edit(SET_ROCK, (30, 60, 0))
    world.run(50)
    return world.hash()


def blast():
    rules = BlastRules()
    check(fp.fp_blast_rules_default(c.byref(rules)))
    rules.rule, rules.coefficient, rules.damping, rules.threshold = WAVE, 0.125, 0.75, 0.01
    world = World(fp.fp_blast_new, CUBE, c.byref(rules), None, None)
    world.edit(SET_WALL, (4, 0, 0), value=2)
    world.edit(SET_PRESSURE, (0, 0, 0), value=3000)
    figure = Probe(cell=(3, 2, 0), cross_section=0.5)
    check(fp.fp_blast_run_probed(world.handle, 20, c.byref(figure), 1, None))
    assert figure.impulse[0] != 0
    return world.hash()


assert fp.fp_interface_version() == 1
print(f"floodplain: state hash {water() ^ materials() ^ humidity() ^ blast():016x}")
