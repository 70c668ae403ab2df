-- What a node is to water, and what node shows a cell. A code of one byte stands for both:
-- a dry node, water at one of sixteen values of param2 (eight heights, falling or not), a source,
-- a node that water shares with a spring or a drain, and ground.
local own = ...
local ffi, fp = own.ffi, own.fp
local cells = { DRY = 0, SOURCE = 17, FLOODABLE = 250, SPRING = 251, DRAIN = 252, SHARED = 253,
    IGNORE = 254, GROUND = 255 }
own.cells = cells

-- Luanti counts x first, then y, then z, and floodplain x, then z, then y: the same numbers turn
-- one index into the other, both ways.
cells.turned = ffi.new("uint16_t[4096]")
for index = 0, 4095 do
    local x, middle, slow = index % 16, math.floor(index / 16) % 16, math.floor(index / 256)
    cells.turned[index] = x + 16 * slow + 256 * middle
end

local function class_of(name)
    local node = minetest.registered_nodes[name]
    if name == "ignore" then return cells.IGNORE end
    if name == "air" then return cells.DRY end
    if name == "floodplain:spring" then return cells.SPRING end
    if name == "floodplain:drain" then return cells.DRAIN end
    local kind = own.nodes.water[name]
    if kind then return kind == "source" and cells.SOURCE or 1 end
    if node and node.groups and node.groups.floodplain_open then return cells.SHARED end
    if node and node.floodable then return cells.FLOODABLE end
    return cells.GROUND
end

-- The code of each node by its name, and by its content id; that of flowing water is 1 + param2.
cells.by_name = setmetatable({}, {
    __index = function(known, name)
        known[name] = class_of(name)
        return known[name]
    end,
})
cells.by_id = setmetatable({}, {
    __index = function(known, id)
        known[id] = cells.by_name[minetest.get_name_from_content_id(id)]
        return known[id]
    end,
})

-- Returns the code of a node.
function cells.code(node)
    local code = cells.by_name[node.name]
    return code == 1 and 1 + node.param2 % 16 or code
end

-- Water is in none of these cells, but may come.
function cells.is_ground(code) return code >= cells.IGNORE end

-- The code that shows each look. Ground shows nothing of water.
cells.wanted = ffi.new("uint8_t[32768]")
local FALLING = 8
for look = 0, 32767 do
    local units = bit.band(look, fp.FP_LOOK_UNITS)
    local code = cells.DRY
    if bit.band(look, fp.FP_LOOK_SOLID + fp.FP_LOOK_BEYOND) ~= 0 then
        code = cells.GROUND
    elseif bit.band(look, fp.FP_LOOK_SEA) ~= 0 then
        code = cells.SOURCE
    elseif units > 0 then
        code = 1 + units
    elseif bit.band(look, fp.FP_LOOK_PASSING) ~= 0 then
        local thickness = bit.band(bit.rshift(look, 8), 7)
        local goes_down = bit.band(bit.rshift(look, 12), 7) == 2
        code = 1 + thickness + (goes_down and FALLING or 0)
    end
    cells.wanted[look] = code
end

-- Returns the code to show, where `shown` is there now. A full cell that is shown by a source, as
-- all of a map's old water is, stays so.
function cells.to_show(look, shown)
    local code = cells.wanted[look]
    if code == 1 + 7 and shown == cells.SOURCE then return shown end
    if code == cells.DRY and shown == cells.FLOODABLE then return shown end
    return code
end

-- Returns the node of a code, the same table each time.
local by_code = {}
function cells.node(code)
    if not by_code[code] then
        local name = code == cells.DRY and "air" or code == cells.SOURCE and own.nodes.source
            or own.nodes.flowing
        by_code[code] = { name = name, param2 = code < cells.SOURCE and math.max(0, code - 1) or 0 }
    end
    return by_code[code]
end
