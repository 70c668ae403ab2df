-- Ground that a kill brought back: the map was older than the file of the water, which has water
-- where the map has ground again. It displaces that water, as ground that is built does; but what
-- finds no room there is put into the nearest room of the mapblocks beside. Without any, it stays
-- in its cell until there is some: that node is ground which holds water.
local own = ...
local ffi, fp, check = own.ffi, own.fp, own.check
local cells, water = own.cells, own.water
local ground = { held = 0, put_back = 0 }
own.ground = ground

-- The most rooms that are tried for the water of a cell.
local TRIES = 64

local looks, length = ffi.new("uint16_t[4096]"), ffi.new("size_t[1]")
local NO_ROOM = fp.FP_LOOK_SOLID + fp.FP_LOOK_SEA + fp.FP_LOOK_BEYOND

local function has_room(look)
    return bit.band(look, NO_ROOM) == 0 and bit.band(look, fp.FP_LOOK_UNITS) < 7
end

-- Calls `each` with a chunk and those beside it.
local function each_near(chunk, each)
    each(chunk)
    for _, offset in ipairs(own.chunks.beside) do
        local beside = own.chunks.by_key[chunk.key + offset]
        if beside then each(beside) end
    end
end

-- Returns the cell with room that is nearest to a cell, if it is none that was tried.
local function nearest_room(chunk, cell, tried)
    local nearest, least = nil, math.huge
    each_near(chunk, function(near)
        check(fp.fp_view_looks(water.world, near.x, near.y, near.z, looks, 4096, length))
        for index = 0, 4095 do
            -- Not into drains, into nodes that water shares, or into ground that holds water.
            if has_room(looks[cells.turned[index]]) and near.shown[index] <= cells.SPRING then
                local x = near.x * 16 + index % 16
                local y = near.y * 16 + math.floor(index / 16) % 16
                local z = near.z * 16 + math.floor(index / 256)
                local far = (x - cell.x) ^ 2 + (y - cell.y) ^ 2 + (z - cell.z) ^ 2
                if far < least and not tried[x .. "," .. y .. "," .. z] then
                    nearest, least = { x = x, y = y, z = z }, far
                end
            end
        end
    end)
    return nearest
end

-- Returns the units that find no room.
local function put_beside(chunk, cell, units)
    local tried = {}
    for _ = 1, TRIES do
        local room = units > 0 and nearest_room(chunk, cell, tried)
        if not room then break end
        local filled = water.edit(fp.FP_EDIT_KIND_FILL_BODY, room.x, room.y, room.z, units) or 0
        units, ground.put_back = units - filled, ground.put_back + filled
        if filled == 0 then tried[room.x .. "," .. room.y .. "," .. room.z] = true end
    end
    return units
end

local function hold(cell, units)
    water.edit(fp.FP_EDIT_KIND_CLEAR_SOLID, cell.x, cell.y, cell.z)
    local poured = water.edit(fp.FP_EDIT_KIND_POUR, cell.x, cell.y, cell.z, units)
    assert(poured == units, "an open cell has no room")
end

function ground.is_held(chunk, index) return chunk.held ~= nil and chunk.held[index] ~= nil end

-- A cell holds its water no longer, or its node was dug, so that the water comes out.
function ground.release(chunk, index)
    if ground.is_held(chunk, index) then
        chunk.held[index], ground.held = nil, ground.held - 1
    end
end

-- Makes cells of a chunk, each with its `index`, ground that keeps their water in the world. All
-- are ground before any water is put beside: else it would be put where ground comes next.
function ground.bring_back(chunk, list)
    for _, cell in ipairs(list) do
        local _, outcome = water.edit(fp.FP_EDIT_KIND_SET_SOLID, cell.x, cell.y, cell.z)
        cell.units = outcome and tonumber(outcome.removed) or 0
        ground.release(chunk, cell.index)
    end
    local is_full = false
    for _, cell in ipairs(list) do
        local left = is_full and cell.units or put_beside(chunk, cell, cell.units)
        is_full = left > 0 or is_full
        if left > 0 then
            hold(cell, left)
            chunk.held = chunk.held or {}
            chunk.held[cell.index], ground.held = cell, ground.held + 1
        end
    end
end

local function try_again_in(chunk)
    local list = {}
    for index, cell in pairs(chunk.held or {}) do
        if not cells.is_ground(chunk.shown[index]) then
            ground.release(chunk, index)
        elseif nearest_room(chunk, cell, {}) then
            table.insert(list, cell)
        end
    end
    table.sort(list, function(a, b) return a.index < b.index end)
    ground.bring_back(chunk, list)
end

-- After a chunk came: tries again with the cells beside it that hold water and were not dug.
function ground.try_again(chunk)
    if ground.held > 0 then each_near(chunk, try_again_in) end
end

-- Forgets a chunk that goes: its cells are found again when it comes back.
function ground.forget(chunk)
    for index in pairs(chunk.held or {}) do ground.release(chunk, index) end
end

local since = 0

-- Between two ticks, once a second: tries again with all cells that hold water, since water beside
-- them may have run off.
function ground.step(seconds)
    since = since + seconds
    if ground.held == 0 or since < 1 then return end
    since = 0
    for _, chunk in pairs(own.chunks.by_key) do
        if chunk.held then try_again_in(chunk) end
    end
end
