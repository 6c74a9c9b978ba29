//! Two lists side by side: which of one stands for which of the other.

/// What an item is matched by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// Only items that are alike in this are matched.
    pub(super) structure: u64,
    /// Of several ways to match, the one with more of these in common is taken.
    pub(super) content: [u64; FEATURES],
}

/// How many things an item is told by from others of its structure.
pub(super) const FEATURES: usize = 4;

/// Items that stand for each other, or one that is on one side alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matched {
    Both(usize, usize),
    Left(usize),
    Right(usize),
}

/// The longest part of each list that is looked at at once: longer lists are gone through by windows.
const WINDOW: usize = 1200;

/// What a match counts for beside what the contents have in common: two matches are more than a better one.
const STRUCTURE: u32 = 2 * FEATURES as u32;

/// Matches two lists in order: as many items as possible, then as many of the same content, then as early as possible.
/// Lists longer than a window are matched so within each window.
pub(super) fn align(a: &[Key], b: &[Key]) -> Vec<Matched> {
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let mut all: Vec<Matched> = (0..same).map(|i| Matched::Both(i, i)).collect();
    let tail = a[same..].iter().rev().zip(b[same..].iter().rev()).take_while(|(x, y)| x == y).count();
    let (mut i, mut j, ends) = (same, same, (a.len() - tail, b.len() - tail));
    while i < ends.0 || j < ends.1 {
        let (to_i, to_j) = (ends.0.min(i + WINDOW), ends.1.min(j + WINDOW));
        let found = in_window(&a[i..to_i], &b[j..to_j]);
        // What is near the end of a window may fit better with what is behind it.
        let keep = if (to_i, to_j) == ends { found.len() } else { found.len() / 2 };
        let (from_i, from_j) = (i, j);
        for m in &found[..keep] {
            all.push(match *m {
                Matched::Both(x, y) => Matched::Both(from_i + x, from_j + y),
                Matched::Left(x) => Matched::Left(from_i + x),
                Matched::Right(y) => Matched::Right(from_j + y),
            });
            i += usize::from(!matches!(m, Matched::Right(_)));
            j += usize::from(!matches!(m, Matched::Left(_)));
        }
    }
    all.extend((0..tail).map(|k| Matched::Both(ends.0 + k, ends.1 + k)));
    all
}

fn in_window(a: &[Key], b: &[Key]) -> Vec<Matched> {
    // The best that can be made of what is left of both, from each pair of positions on.
    let width = b.len() + 1;
    let mut best = vec![0u32; (a.len() + 1) * width];
    let value = |x: &Key, y: &Key| match x.structure == y.structure {
        true => STRUCTURE + x.content.iter().zip(&y.content).filter(|(x, y)| x == y).count() as u32,
        false => 0,
    };
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            let apart = best[(i + 1) * width + j].max(best[i * width + j + 1]);
            let together = match value(&a[i], &b[j]) {
                0 => 0,
                v => v + best[(i + 1) * width + j + 1],
            };
            best[i * width + j] = apart.max(together);
        }
    }
    let (mut i, mut j, mut all) = (0, 0, Vec::new());
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() {
            let v = value(&a[i], &b[j]);
            if v > 0 && best[i * width + j] == v + best[(i + 1) * width + j + 1] {
                all.push(Matched::Both(i, j));
                (i, j) = (i + 1, j + 1);
                continue;
            }
        }
        if j == b.len() || i < a.len() && best[(i + 1) * width + j] >= best[i * width + j + 1] {
            all.push(Matched::Left(i));
            i += 1;
        } else {
            all.push(Matched::Right(j));
            j += 1;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Items as text: letters are the structure, digits after them the content.
    fn keys(text: &str) -> Vec<Key> {
        let key = |word: &str| {
            let (letter, digit) = word.split_at(1);
            Key { structure: letter.as_bytes()[0].into(), content: [digit.parse().unwrap_or(0); FEATURES] }
        };
        text.split_whitespace().map(key).collect()
    }

    fn check(a: &str, b: &str, want: &str) {
        let (x, y): (Vec<&str>, Vec<&str>) = (a.split_whitespace().collect(), b.split_whitespace().collect());
        let shown = |m: &Matched| match *m {
            Matched::Both(i, j) => format!("{}={}", x[i], y[j]),
            Matched::Left(i) => format!("-{}", x[i]),
            Matched::Right(j) => format!("+{}", y[j]),
        };
        let got: Vec<String> = align(&keys(a), &keys(b)).iter().map(shown).collect();
        assert_eq!(got.join(" "), want);
    }

    #[test]
    fn d5_items_are_matched_by_structure_then_by_content() {
        check("a b c", "a b c", "a=a b=b c=c");
        check("a b c d", "a x c d", "a=a -b +x c=c d=d");
        // Either could go: the one with another content does.
        check("m1 m2", "m2", "-m1 m2=m2");
        check("m1 m2", "m1", "m1=m1 -m2");
        // More matches are better than better ones.
        check("a1 b1", "b2 a1 b2", "+b2 a1=a1 b1=b2");
        // Turns of a loop: the first ones are the same, and the last one is more.
        check("i s c1 s c2 s c3 e", "i s c1 s c2 e", "i=i s=s c1=c1 s=s c2=c2 -s -c3 e=e");
        check("", "a", "+a");
    }

    #[test]
    fn d5_long_lists_are_matched_by_windows() {
        let key = |i: u64| Key { structure: i % 7, content: [i; FEATURES] };
        let a: Vec<Key> = (0..5000).map(key).collect();
        // Every hundredth is missing, and some are new.
        let mut b: Vec<Key> = (0..5000).filter(|i| i % 100 != 99).map(key).collect();
        b.insert(1234, Key { structure: 50, content: [0; FEATURES] });
        let found = align(&a, &b);
        let both = found.iter().filter(|m| matches!(m, Matched::Both(i, j) if a[*i] == b[*j])).count();
        assert_eq!(both, 4950);
        let (left, right) = (found.iter().filter(|m| matches!(m, Matched::Left(_))).count(), b.len() - both);
        assert_eq!((left, right), (50, 1));
    }
}
