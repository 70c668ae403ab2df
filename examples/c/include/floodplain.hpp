// floodplain for C++17: the handles of floodplain.h as classes that free themselves, lists as
// vectors, and statuses other than FP_STATUS_OK as exceptions.
//
// A class has the functions that most games call. Of all others, pass `get()` to the function of
// floodplain.h, and its status to `floodplain::check`.
#ifndef FLOODPLAIN_HPP
#define FLOODPLAIN_HPP

#include "floodplain.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace floodplain {

/// A call that was refused.
class Error : public std::runtime_error {
public:
    Error(FpStatus status, const std::string &words)
        : std::runtime_error(words), status_(status) {}

    FpStatus status() const noexcept { return status_; }

private:
    FpStatus status_;
};

/// Throws the words of a call that failed.
inline void check(FpStatus status) {
    if (status == FP_STATUS_OK) return;
    std::string words(512, '\0');
    std::size_t length = 0;
    if (fp_last_error(words.data(), words.size(), &length) != FP_STATUS_OK) length = 0;
    words.resize(length);
    throw Error(status, words);
}

/// Returns a list that a function fills: `call` takes the list, its capacity and its length.
template <typename T, typename Call> std::vector<T> list(Call call, std::size_t expected = 0) {
    std::vector<T> out(expected);
    std::size_t length = 0;
    FpStatus status = call(out.data(), out.size(), &length);
    if (status == FP_STATUS_BUFFER) {
        out.resize(length);
        status = call(out.data(), out.size(), &length);
    }
    check(status);
    out.resize(length);
    return out;
}

using Size = std::size_t;
using Bytes = std::vector<std::uint8_t>;
using Position = std::array<std::int32_t, 3>;

/// Returns the edit of a kind at a cell.
inline FpEdit edit(FpEditKind kind, Position cell, std::uint32_t units = 0) {
    FpEdit edit{};
    edit.kind = static_cast<std::uint32_t>(kind);
    for (int axis = 0; axis < 3; axis++) edit.cell[axis] = cell[axis];
    edit.units = units;
    return edit;
}

/// Returns the edit of a kind on a region.
inline FpEdit edit(FpEditKind kind, Position cell, Position to, std::uint32_t units = 0) {
    FpEdit made = edit(kind, cell, units);
    for (int axis = 0; axis < 3; axis++) made.to[axis] = to[axis];
    return made;
}

/// A world of any kind, or a mirror. It owns its handle, and can be moved and not copied.
class World {
public:
    /// Takes a handle over.
    explicit World(FpWorld *handle) : handle_(handle) {}

    static World water(std::uint64_t seed, const FpWaterRules &rules,
                       const FpRegion *bounds = nullptr) {
        return made([&](FpWorld **out) { return fp_water_new(seed, &rules, bounds, out); });
    }

    /// Of the natural palette, if there are no materials.
    static World materials(std::uint64_t seed, const FpMaterialsRules &rules,
                           const std::vector<FpMaterial> &materials = {},
                           const FpRegion *bounds = nullptr) {
        return made([&](FpWorld **out) {
            return fp_materials_new(seed, materials.data(), materials.size(), &rules, bounds, out);
        });
    }

    static World humidity(FpShape shape, const FpHumidityRules &rules,
                          const FpRegion *bounds = nullptr) {
        return made([&](FpWorld **out) { return fp_humidity_new(shape, &rules, bounds, out); });
    }

    static World blast(FpShape shape, const FpBlastRules &rules, const FpRegion *bounds = nullptr,
                       const std::uint32_t *borders = nullptr) {
        return made(
            [&](FpWorld **out) { return fp_blast_new(shape, &rules, bounds, borders, out); });
    }

    static World mirror(FpKind kind, std::size_t most_chunks) {
        return made([&](FpWorld **out) { return fp_mirror_new(kind, most_chunks, out); });
    }

    static World load(FpKind kind, const Bytes &bytes) {
        return made(
            [&](FpWorld **out) { return fp_world_load(kind, bytes.data(), bytes.size(), out); });
    }

    static World replay(FpKind kind, const Bytes &bytes) {
        return made(
            [&](FpWorld **out) { return fp_record_replay(kind, bytes.data(), bytes.size(), out); });
    }

    FpWorld *get() const noexcept { return handle_.get(); }

    /// Loads a chunk of water: 4,096 words, or one.
    void insert_chunk(Position chunk, const std::vector<std::uint16_t> &words) {
        check(fp_water_insert_chunks(get(), chunk.data(), 1, words.data(), words.size()));
    }

    FpOutcome apply(const FpEdit &edit) {
        FpOutcome outcome;
        check(fp_world_apply(get(), &edit, &outcome));
        return outcome;
    }

    FpOutcome apply(const Bytes &edit, const FpLimits *limits = nullptr) {
        FpOutcome outcome;
        check(fp_world_apply_bytes(get(), edit.data(), edit.size(), limits, &outcome));
        return outcome;
    }

    std::uint64_t queue(const FpEdit &edit) {
        std::uint64_t ticket = 0;
        check(fp_world_queue(get(), &edit, &ticket));
        return ticket;
    }

    std::vector<FpEditReport> take_edit_reports() {
        return list<FpEditReport>([&](FpEditReport *out, Size capacity, Size *length) {
            return fp_world_take_edit_reports(get(), out, capacity, length);
        });
    }

    void step() { check(fp_world_step(get(), nullptr)); }

    void run(std::uint64_t steps) { check(fp_world_run(get(), steps, nullptr)); }

    /// Returns whether the tick is complete.
    bool step_within(std::uint64_t cells) {
        FpProgress progress;
        check(fp_world_step_within(get(), cells, &progress));
        return progress.finished != 0;
    }

    /// Returns whether the tick is complete.
    bool step_for(std::uint64_t nanoseconds) {
        FpProgress progress;
        check(fp_world_step_for(get(), nanoseconds, &progress));
        return progress.finished != 0;
    }

    std::uint64_t state_hash() const {
        std::uint64_t hash = 0;
        check(fp_world_state_hash(get(), &hash));
        return hash;
    }

    std::vector<FpChunkChanges> take_changes() {
        using Out = FpChunkChanges;
        return list<Out>([&](Out *out, Size capacity, Size *length) {
            return fp_world_take_changes(get(), out, capacity, length);
        });
    }

    std::vector<FpBroken> take_events() {
        return list<FpBroken>([&](FpBroken *out, Size capacity, Size *length) {
            return fp_world_take_events(get(), out, capacity, length);
        });
    }

    Bytes snapshot() const {
        return list<std::uint8_t>([&](std::uint8_t *out, Size capacity, Size *length) {
            return fp_world_snapshot(get(), out, capacity, length);
        });
    }

    /// Unloads chunks, and returns their records.
    Bytes remove_chunks(const std::vector<Position> &chunks) {
        const std::int32_t *first = chunks.empty() ? nullptr : chunks[0].data();
        std::size_t bytes = 0;
        check(fp_world_remove_chunks(get(), first, chunks.size(), &bytes));
        auto take = [&](std::uint8_t *out, Size capacity, Size *length) {
            return fp_world_take_records(get(), out, capacity, length);
        };
        return list<std::uint8_t>(take, bytes);
    }

    void insert_records(const Bytes &records) {
        check(fp_world_insert_records(get(), records.data(), records.size()));
    }

    void record(std::uint64_t check_every, std::uint64_t keyframe_every) {
        check(fp_record_start(get(), check_every, keyframe_every, nullptr));
    }

    Bytes recording() const {
        return list<std::uint8_t>([&](std::uint8_t *out, Size capacity, Size *length) {
            return fp_record_bytes(get(), out, capacity, length);
        });
    }

    /// The surface of the water in a chunk.
    struct Mesh {
        std::vector<float> positions, normals, flow;
        std::vector<std::uint32_t> indices;
    };

    /// Writes the surface of a chunk; the lists grow as they have to, and are used again.
    void mesh(Position chunk, Mesh &mesh) const {
        for (;;) {
            FpMesh room{};
            mesh.positions.resize(mesh.positions.capacity() / 3 * 3);
            room.vertex_capacity = mesh.positions.size() / 3;
            mesh.normals.resize(mesh.positions.size());
            mesh.flow.resize(mesh.positions.size());
            mesh.indices.resize(mesh.indices.capacity());
            room.index_capacity = mesh.indices.size();
            room.positions = mesh.positions.data();
            room.normals = mesh.normals.data();
            room.flow = mesh.flow.data();
            room.indices = mesh.indices.data();
            FpStatus status = fp_view_mesh(get(), chunk[0], chunk[1], chunk[2], &room);
            if (status != FP_STATUS_BUFFER) check(status);
            mesh.positions.resize(room.vertex_count * 3);
            mesh.normals.resize(room.vertex_count * 3);
            mesh.flow.resize(room.vertex_count * 3);
            mesh.indices.resize(room.index_count);
            if (status == FP_STATUS_OK) return;
        }
    }

    void apply_update(const Bytes &update) {
        check(fp_mirror_apply(get(), update.data(), update.size(), nullptr));
    }

private:
    struct Free {
        void operator()(FpWorld *handle) const noexcept { fp_world_free(handle); }
    };

    template <typename Call> static World made(Call call) {
        FpWorld *handle = nullptr;
        check(call(&handle));
        return World(handle);
    }

    std::unique_ptr<FpWorld, Free> handle_;
};

/// A feed of a world, for clients.
class Feed {
public:
    explicit Feed(World &world) {
        FpFeed *handle = nullptr;
        check(fp_feed_new(world.get(), &handle));
        handle_.reset(handle);
    }

    FpFeed *get() const noexcept { return handle_.get(); }

    /// Takes the update of what looks different.
    Bytes take(World &world) {
        return list<std::uint8_t>([&](std::uint8_t *out, Size capacity, Size *length) {
            return fp_feed_take(get(), world.get(), out, capacity, length);
        });
    }

    /// Returns the update of whole chunks.
    Bytes whole(const World &world, const std::vector<Position> &chunks) {
        const std::int32_t *first = chunks.empty() ? nullptr : chunks[0].data();
        return list<std::uint8_t>([&](std::uint8_t *out, Size capacity, Size *length) {
            return fp_feed_whole(get(), world.get(), first, chunks.size(), out, capacity, length);
        });
    }

private:
    struct Free {
        void operator()(FpFeed *handle) const noexcept { fp_feed_free(handle); }
    };

    std::unique_ptr<FpFeed, Free> handle_;
};

/// Returns the bytes of an edit, for a server.
inline Bytes edit_bytes(FpKind kind, const FpEdit &edit) {
    return list<std::uint8_t>([&](std::uint8_t *out, Size capacity, Size *length) {
        return fp_edit_bytes(kind, &edit, out, capacity, length);
    });
}

} // namespace floodplain

#endif
