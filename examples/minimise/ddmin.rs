//! Delta debugging: the least part of a list with which something still fails.
//!
//! Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, IEEE Transactions on
//! Software Engineering 28(2), 2002. It tries each part of the list, then each complement of a
//! part, with ever smaller parts. The result fails, and passes without any one of its items.

/// Returns the items without which `fails` is no more true. It must be true of all of them.
pub fn ddmin<T: Clone>(items: &[T], mut fails: impl FnMut(&[T]) -> bool) -> Vec<T> {
    let mut items = items.to_vec();
    if fails(&[]) {
        return Vec::new();
    }
    let mut parts = 2;
    while items.len() >= 2 {
        let size = items.len().div_ceil(parts);
        let part = items.chunks(size).map(<[T]>::to_vec).find(|part| fails(part));
        if let Some(part) = part {
            (items, parts) = (part, 2);
            continue;
        }
        let without = (0..items.len()).step_by(size).map(|from| {
            let to = items.len().min(from + size);
            [&items[..from], &items[to..]].concat()
        });
        let less = without.collect::<Vec<_>>().into_iter().find(|less| fails(less));
        match less {
            Some(less) => (items, parts) = (less, 2.max(parts - 1)),
            None if size == 1 => break,
            None => parts = items.len().min(2 * parts),
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remaining_items_fail_and_each_is_needed() {
        let mut random = fastrand::Rng::with_seed(3);
        for count in 1..60 {
            let items: Vec<usize> = (0..count).collect();
            let mut needed: Vec<usize> = items.clone();
            random.shuffle(&mut needed);
            needed.truncate(random.usize(1..=count.min(6)));
            needed.sort_unstable();
            let mut asked = 0;
            let found = ddmin(&items, |part| {
                asked += 1;
                needed.iter().all(|item| part.contains(item))
            });
            assert_eq!(found, needed);
            assert!(asked <= count * count + 3 * count + 1, "{asked} for {count}");
        }
        assert_eq!(ddmin(&[1, 2, 3], |_| true), Vec::<i32>::new());
    }
}
