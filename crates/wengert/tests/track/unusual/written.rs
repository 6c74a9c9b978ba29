//! Functions that macros write, names that could be taken for ours, and closures that are known by what they are for.

#![allow(clippy::all)]

use wengert::{Array, record, track, tracked, untracked};

/// A function made of the fragments that macros know.
macro_rules! written {
    ($v:vis fn $name:ident($($x:pat => $t:ty),*) -> $r:ty $body:block) => {
        #[track]
        $v fn $name($($x: $t),*) -> $r $body
    };
}
written!(pub fn from_parts(x => u32, (a, b) => (u32, u32)) -> u32 { if x > 1 { return a; } b });
written!(fn unit(x => &mut u32) -> () { *x += 1 });
written!(fn never(_x => u32) -> ! { panic!() });
written!(fn opaque(x => u32) -> impl Fn(u32) -> u32 { move |y| y + x });

macro_rules! inside {
    ([$($s:stmt;)*] $e:expr, $c:expr, $p:pat, $label:lifetime, $b:block, $t:ty, $of:path, $($item:item)*) => {
        #[track]
        fn inside(z: $t) -> $t {
            $($item)*
            $($s;)*
            $label: loop {
                if $c $b else { break $label; }
            }
            if let $p = Some($e) {
                return twice(z);
            }
            match Some($e) { $p => 5, _ => $e * 2 + z + <$t as $of>::default() }
        }
    };
}
inside!(
    [let x = 1; let y = x + 1;] x + y, x > 5 || y > 5, Some(7 | 8), 'a, { return 1 }, u32, Default,
    fn twice(x: u32) -> u32 { x * 2 }
);

macro_rules! fragments {
    ($e:expr, $minus:expr, $f:expr, $range:expr, $t:ty, $p:pat, $borrow:expr) => {
        #[track]
        fn fragments(x: &$t, n: u32) -> (u32, i32, u32, usize, bool) {
            let product = $e * 2;
            let called = $f(product) * untracked!($e * 3);
            let len = $range.len() + $borrow.len();
            let both = matches!(n, $p) && (|| n > $e * 2)() || x(&n) > 3;
            (called, $minus.pow(2), [$e; 2].map(|x| x + $e * 10)[0], len, both)
        }
    };
}
fragments!(1 + 2, -3i32, |x: u32| x + 1, 0..4u32, dyn Fn(&u32) -> u32 + Send, 1 | 2, &[1, 2][..]);

/// Everything has these methods.
#[allow(dead_code)]
trait Everything: Sized {
    fn any(self, _: u8) {}
    fn attempt(&self) {}
    fn give(&self, _: u8) {}
    fn unnamed(self) {}
    fn ends(self) {}
}
impl<T> Everything for T {}

#[track]
fn with_methods(x: Array, _: u32, n: Option<u32>) -> Option<Array> {
    let y = x;
    n?;
    Some(y)
}

mod without_prelude {
    #![no_implicit_prelude]
    use ::core::option::Option;
    use ::wengert::track;

    #[track]
    pub fn f(x: u32, y: Option<u32>, _: bool) -> Option<u32> {
        let z = y?;
        if z > x {
            return Option::None;
        }
        for i in 0..x {
            if i > z {
                break;
            }
        }
        match z {
            0 => y,
            n => Option::Some(n + x),
        }
    }
}

mod with_names_of_crates {
    pub mod wengert {
        pub mod track {}
    }
    pub mod core {}

    #[::wengert::track]
    pub fn f(x: u32) -> Option<u32> {
        let core = 1;
        if x > core {
            return None;
        }
        Some(x)
    }
}

#[test]
fn functions_from_macros() {
    let run = || {
        let mut n = 1;
        unit(&mut n);
        assert_eq!((from_parts(2, (3, 4)), opaque(1)(2), inside(4), n), (3, 3, 10, 2));
        assert_eq!(fragments(&|x| *x, 2), (63, 9, 33, 6, false));
        assert!(std::panic::catch_unwind(|| never(1)).is_err());
        assert!(with_methods(Array::from(1.0f32), 1, Some(2)).is_some());
        assert_eq!((without_prelude::f(1, Some(1), true), with_names_of_crates::f(1)), (Some(2), Some(1)));
    };
    run();
    record(run);
}

#[test]
fn closures_of_every_sort() {
    fn nested<F: Fn(u32) -> G, G: Fn(&u32) -> u32>(f: F) -> u32 {
        f(1)(&2)
    }
    fn boxed(f: impl Fn(u32) -> Box<dyn Fn(&u32) -> u32>) -> u32 {
        f(1)(&2)
    }
    let run = || {
        assert_eq!(tracked!(|x: &_| *x + 1u32)(&1), 2);
        let joined = tracked!(|x: Vec<_>, y: &[_]| -> Vec<_> { x.into_iter().chain(y.iter().copied()).collect() });
        assert_eq!(joined(vec![1u8], &[2]), [1, 2]);
        let rest: &dyn Fn(&str) -> &str = &tracked!(|x: &str| -> &str {
            if x.is_empty() {
                return x;
            }
            &x[1..]
        });
        assert_eq!(rest("ab"), "b");
        let mut v = vec![3, 1, 2];
        v.sort_by(tracked!(|a, b| b.cmp(a)));
        assert_eq!(v.iter().map(tracked!(|&x| x)).filter(tracked!(|x| x % 2 == 1)).sum::<u32>(), 4);
        assert_eq!(v.iter().enumerate().map(tracked!("each", |(i, x)| i as u32 + x)).collect::<Vec<_>>(), [3, 3, 3]);
        let parsed: Result<Vec<u32>, std::num::ParseIntError> =
            ["1", "x"].iter().map(tracked!(|s| Ok(s.parse::<u32>()? + 1))).collect();
        assert!(parsed.is_err());
        assert_eq!(nested(tracked!(|k| move |x| x + k)), 3);
        assert_eq!(nested(tracked!(|k| { return move |x| x + k })), 3);
        assert_eq!(boxed(tracked!(|k| Box::new(move |x| x + k))), 3);
        tracked!(|| {})();
        let owned = String::from("owned");
        assert_eq!(tracked!(move || owned)(), "owned");
        let mut n = 0;
        let mut add = tracked!(|by: u32| n += by);
        add(1);
        add(2);
        assert_eq!(n, 3);
        assert_eq!(tracked!(|x| untracked!(x))(1), 1);
    };
    run();
    record(run);
}
