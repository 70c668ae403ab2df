use flow::scenes::*; use flow::world::*; use flow::cell::*;
fn main() {
    let mut w = river(3, 160, [5, 3], 3, 1, Options::default());
    w.run(2500);
    for z in 3..6 { for x in (5..20).chain(145..165) { let v = w.get([x, 1, z]); print!("{}{}{}{} ", h(v), [".", "<", ">", "v", "^", "n", "s", "#"][dir(v) as usize], if v & HAS != 0 { "S" } else { "-" }, active(v)); } println!(); }
    println!("{:?}", w.awake());
}
