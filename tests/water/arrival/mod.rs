//! Water arrives: what springs offer leaves at the world's ends, whatever stood in its way at
//! first, and finite water comes to lie evenly. Statistics over seeds, sizes, directions and places
//! in the chunk grid; the figures before are those of the commit a749ab6.

mod asleep;
mod dams;
mod ends;
mod falls;
mod heaps;
mod height;
mod mazes;
mod memory;
mod passage;
mod plan;
mod standing;
mod u_tubes;
mod wells;

/// Cases of a kind, each with its figures: a test fails with all that miss what must hold.
#[derive(Default)]
struct Cases(Vec<String>);

impl Cases {
    fn hold(&mut self, holds: bool, figures: String) {
        println!("{}{figures}", if holds { "" } else { "MISSED: " });
        self.0.extend((!holds).then_some(figures));
    }

    fn all_hold(self) {
        assert!(
            self.0.is_empty(),
            "{} cases miss what must hold:\n{}",
            self.0.len(),
            self.0.join("\n")
        );
    }
}

fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values.into_iter().fold((0.0, 0), |(sum, n), value| (sum + value, n + 1));
    sum / f64::from(count)
}

fn greatest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::MIN, f64::max)
}

fn least(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::MAX, f64::min)
}
