-- Luanti's own liquids on the jobs `falls` and `floor` of the example `throughput`: 1,024 springs,
-- `flood_height` cells above a walled floor of 256 by 256, until nothing changes any more. Prints
-- the changed nodes and the time of the last change.

local SIDE, SPACING, TOP = 256, 8, 66
local height = tonumber(minetest.settings:get("flood_height"))

minetest.register_node("flood:stone", { tiles = { "stone.png" } })
local function liquid(kind, drawtype)
  minetest.register_node("flood:" .. kind, {
    drawtype = drawtype,
    liquidtype = kind,
    walkable = false,
    paramtype = "light",
    paramtype2 = kind == "flowing" and "flowingliquid" or nil,
    liquid_alternative_flowing = "flood:flowing",
    liquid_alternative_source = "flood:source",
    liquid_viscosity = 0,
    liquid_renewable = false,
  })
end
liquid("source", "liquid")
liquid("flowing", "flowingliquid")
minetest.register_alias("mapgen_stone", "flood:stone")
minetest.register_alias("mapgen_water_source", "flood:source")
minetest.register_alias("mapgen_river_water_source", "flood:source")

local changed, started, last = 0, nil, nil
minetest.register_on_liquid_transformed(function(positions)
  -- It is also called when nothing has changed.
  if #positions > 0 then
    changed = changed + #positions
    last = minetest.get_us_time()
  end
end)

local function build(low, high)
  local map = VoxelManip()
  local from, to = map:read_from_map(low, high)
  local area = VoxelArea:new({ MinEdge = from, MaxEdge = to })
  local data = map:get_data()
  local stone = minetest.get_content_id("flood:stone")
  local source = minetest.get_content_id("flood:source")
  local air = minetest.get_content_id("air")
  for z = 0, SIDE - 1 do
    for y = 0, TOP do
      for x = 0, SIDE - 1 do
        local is_wall = y == 0 or x == 0 or z == 0 or x == SIDE - 1 or z == SIDE - 1
        local is_spring = y == height and x % SPACING == 4 and z % SPACING == 4
        data[area:index(x, y, z)] = is_spring and source or is_wall and stone or air
      end
    end
  end
  map:set_data(data)
  map:write_to_map(true)
  started = minetest.get_us_time()
  last = started
  map:update_liquids()
end

minetest.after(2, function()
  local low, high = { x = 0, y = 0, z = 0 }, { x = SIDE - 1, y = TOP, z = SIDE - 1 }
  minetest.emerge_area(low, high, function(_, _, remaining)
    if remaining > 0 then return end
    for x = 0, SIDE - 1, 16 do
      for y = 0, TOP, 16 do
        for z = 0, SIDE - 1, 16 do
          minetest.forceload_block({ x = x, y = y, z = z }, true)
        end
      end
    end
    build(low, high)
  end)
end)

-- Five seconds without a change, which the profiler's report comes within.
minetest.register_globalstep(function()
  if started and minetest.get_us_time() - last > 5e6 then
    print(("flood: changed %d in %.3f s"):format(changed, (last - started) / 1e6))
    minetest.request_shutdown()
  end
end)
