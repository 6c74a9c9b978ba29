//! Jumps, macros, items, attributes and inference.

use super::*;

macro_rules! functions {
    ($on:meta) => {
        #[cfg_attr($on, track)]
        fn labels(n: u32) -> Option<u32> {
            let found = 'a: {
                'b: for i in 0.. {
                    let k = 'c: {
                        if i % 2 == 0 {
                            break 'c i;
                        }
                        if i > n {
                            break 'b;
                        }
                        if i == 7 {
                            break 'a Some(i);
                        }
                        continue 'b;
                    };
                    if k >= 8 {
                        break 'a None;
                    }
                }
                Some(100)
            };
            let n = 'd: while n > 0 {
                break 'd;
            };
            let () = n;
            Some(loop {
                match found {
                    Some(0) => continue,
                    Some(n) => break n,
                    None => return None,
                }
            })
        }

        #[cfg_attr($on, track)]
        fn returns_in_closures(v: Vec<u32>) -> Result<u32, Failure> {
            let parse = |s: &str| -> Result<u32, Failure> {
                if s.is_empty() {
                    return Ok(0);
                }
                Ok(s.parse()?)
            };
            let nested = |x: u32| {
                move |y: u32| {
                    if y > x {
                        return y;
                    }
                    (|| {
                        for i in 0.. {
                            if i > y {
                                return i;
                            }
                        }
                        0
                    })()
                }
            };
            let total = v
                .iter()
                .map(|x| {
                    if *x == 3 {
                        return 30;
                    }
                    nested(*x)(2)
                })
                .sum::<u32>();
            Ok(total
                + parse("12")?
                + parse("")?
                + v.iter().try_fold(0u32, |a, x| a.checked_add(*x).ok_or(Failure("over".into())))?)
        }

        #[cfg_attr($on, track)]
        fn converts(s: &str) -> Result<u8, Box<dyn Error>> {
            let n: i64 = s.parse()?;
            if n == 13 {
                return Err(Failure("unlucky".into()).0.into());
            }
            let n = u8::try_from(n)?;
            let mut out = String::new();
            write!(out, "{n}")?;
            Ok(out.parse::<u8>()?.checked_mul(2).ok_or_else(|| "too much")?)
        }

        #[cfg_attr($on, track)]
        fn flow(v: &[i32]) -> ControlFlow<i32, Option<i32>> {
            v.iter().try_for_each(|x| if *x < 0 { ControlFlow::Break(*x) } else { ControlFlow::Continue(()) })?;
            ControlFlow::Continue(v.first().copied())
        }

        #[cfg_attr($on, track)]
        fn macros(x: Option<u32>) -> Option<u32> {
            macro_rules! get {
                ($e:expr) => {
                    match $e {
                        Some(x) => x,
                        None => return None,
                    }
                };
            }
            macro_rules! two {
                ($a:ident, $b:ident) => {
                    let $a = 1u32;
                    let $b = $a + 1;
                };
            }
            two!(a, b);
            let n = get!(x);
            let v = vec![n; get!(n.checked_sub(1)) as usize];
            if matches!(v[..], [_, ..]) && !v.is_empty() {
                assert!(n > 1, "{n}");
            }
            for i in v {
                if i == 0 {
                    get!(None::<u32>);
                }
            }
            macro_rules! tail {
                ($e:expr) => {
                    let y = $e;
                    Some(y + 1)
                };
            }
            tail! { a + b + n }
        }

        #[cfg_attr($on, track)]
        fn never(x: u32) -> u32 {
            let n: u32 = match x {
                0 => return 5,
                1 => loop {
                    if x == 1 {
                        break 3;
                    }
                },
                2 => panic!("two"),
                _ => x,
            };
            if n > 50 {
                unreachable!()
            }
            let _f = || -> u32 { panic!() };
            { { { return n + 1 } } }
        }

        #[cfg_attr($on, track)]
        fn lazy(x: u32) -> bool {
            let mut n = 0;
            let a = x > 1
                && {
                    n += 1;
                    true
                }
                && !(x == 5 || {
                    n += 10;
                    false
                })
                || x == 0 && return n == 0;
            let b =
                a & (x > 2 || {
                    n += 100;
                    n > 3
                }) ^ (n == 1);
            log(n.to_string());
            if !a || (b && n > 0) { x % 2 == 0 } else { !(a && b) }
        }

        #[cfg_attr($on, track)]
        fn iterators(it: &mut dyn Iterator<Item = u32>, by: &mut std::vec::IntoIter<u32>) -> Vec<u32> {
            let mut out = vec![];
            for x in &mut *it {
                out.push(x);
                if x == 2 {
                    break;
                }
            }
            for x in &mut *by {
                if let 0 | 1 = x {
                    continue;
                }
                out.push(x);
                if out.len() > 3 {
                    break;
                }
            }
            for (i, c) in "ab".chars().rev().enumerate() {
                out.push(i as u32 + c as u32);
            }
            for _ in it {
                out.push(0);
            }
            out.extend(by);
            for i in (0..10).step_by(3) {
                if i > 5 {
                    return out;
                }
                out.push(i)
            }
            out
        }

        #[cfg_attr($on, track)]
        fn mutates(v: &mut Vec<u32>, map: &mut HashMap<String, Vec<u32>>) -> Option<&'static str> {
            v.push(v.len() as u32);
            let n = v.len();
            v[n - 1] += if n > 1 { v[0] } else { 1 };
            map.entry("k".into()).or_default().push(v.iter().copied().max()?);
            *map.get_mut("k")?.first_mut()? += 1;
            let first = &mut v[..];
            let (a, b) = first.split_at_mut(1);
            std::mem::swap(&mut a[0], b.get_mut(0)?);
            if let Some(x) = map.get("none").and_then(|x| x.first()) {
                return Some(if *x > 1 { "a" } else { "b" });
            }
            None
        }

        #[cfg_attr($on, track)]
        fn items(x: u32) -> u32 {
            const TWO: u32 = 1 + 1;
            static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
            thread_local!(static HERE: Cell<u32> = const { Cell::new(0) });
            #[derive(Debug, Clone, Copy, PartialEq)]
            enum E {
                A = 1,
                B,
            }
            impl E {
                fn n(self) -> u32 {
                    if self == E::A {
                        return 10;
                    }
                    self as u32
                }
            }
            use E::*;
            type Own = (E, [u32; TWO as usize]);
            HERE.set(x);
            COUNT.store(0, std::sync::atomic::Ordering::Relaxed);
            let (e, [a, b]): Own = (if x > 1 { A } else { B }, [x; TWO as usize]);
            match e {
                A => e.n() + a,
                B => b + const { TWO * 3 } + COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + HERE.get(),
            }
        }

        #[cfg_attr($on, track)]
        #[inline(always)]
        #[must_use = "it says"]
        #[allow(clippy::all)]
        #[doc = "attributes"]
        fn attributed(#[allow(unused)] x: u32, #[cfg(any())] y: NoType, #[cfg(all())] z: u32) -> u32 {
            #![allow(unused_mut)]
            #[allow(unused_variables)]
            let mut x = z;
            #[rustfmt::skip]
                    let y = if z > 3 { return z; };
            #[cfg_attr(all(), allow(unused_variables))]
            let y = z + called_from().0;
            #[cfg_attr(all(), allow(unused_variables))]
            let Some(w) = Some(y) else { return 0 };
            #[allow(unused_assignments)]
            {
                x = 3;
            }
            #[cfg(any())]
            compile_error!("not there");
            let v = [
                #[cfg(any())]
                1,
                #[cfg(all())]
                2,
                3,
            ];
            match x {
                #[cfg(any())]
                3 => 0,
                #[allow(unused)]
                n @ 3 => n + v.len() as u32,
                _ => 1,
            }
        }

        #[cfg_attr($on, track)]
        #[track_caller]
        fn called_from() -> (u32, bool) {
            let l = std::panic::Location::caller();
            (l.column(), l.file().ends_with("unusual.rs"))
        }

        #[cfg_attr($on, track)]
        fn raw_and_unsafe(x: &mut u32) -> u32 {
            let p = &raw mut *x;
            let q = &raw const *x;
            // SAFETY: `x` is a place of this function alone.
            unsafe {
                *p += 1;
                if *q > 5 {
                    return *q;
                }
                *p *= 2;
                *q
            }
        }

        #[cfg_attr($on, track)]
        fn strings(x: Option<&str>) -> String {
            let r#match = x.map_or(c"none".to_string_lossy().into_owned(), str::to_owned);
            let Some((a, b)) = r#match.split_once('=') else { return format!("{match:>6}", r#match = r#match) };
            match (a, b.parse::<f64>()) {
                ("x", Ok(v)) if v.is_nan() => "nan".into(),
                (k, Ok(v)) => format!("{k}:{v:.1}"),
                (k, Err(e)) => format!("{k}!{e}"),
            }
        }

        #[cfg_attr($on, track)]
        fn recursive<T: Debug + Clone>(x: Vec<T>, n: usize) -> Vec<Vec<T>> {
            let [first, rest @ ..] = &x[..] else { return vec![vec![]] };
            if n == 0 {
                return vec![vec![]];
            }
            let mut all = recursive(rest.to_vec(), n - 1)
                .into_iter()
                .map(|mut v| {
                    v.insert(0, first.clone());
                    v
                })
                .collect::<Vec<_>>();
            if rest.len() >= n {
                all.append(&mut recursive(rest.to_vec(), n));
            }
            all
        }

        #[cfg_attr($on, track)]
        fn trait_bounds<I>(it: I) -> BTreeMap<I::Item, usize>
        where
            I: IntoIterator,
            I::Item: Ord + Clone,
            for<'a> &'a I::Item: PartialEq,
        {
            let mut m = BTreeMap::new();
            for x in it {
                *m.entry(x).or_insert(0) += 1;
            }
            m
        }

        #[cfg_attr($on, track)]
        fn inferred(n: u32) -> u64 {
            let mut x = Default::default();
            let mut it = Vec::new();
            let s = if n > 1 { Some(&mut x) } else { None };
            if let Some(s) = s {
                *s += 1u64;
            }
            let f = |a, b| a + b;
            it.push(f(x, 2));
            let [y] = it[..] else { return x };
            let z = (1..=n.into()).product();
            y.max(z)
        }

        pub fn runs() -> Vec<Run> {
            vec![
                ("labels", || format!("{:?}", [0, 1, 4, 9].map(labels))),
                ("closures", || {
                    format!("{:?}", (returns_in_closures(vec![1, 2, 3, 4]), returns_in_closures(vec![u32::MAX, 1])))
                }),
                ("converts", || {
                    format!("{:?}", ["1", "x", "13", "300", "200"].map(|s| converts(s).map_err(|e| e.to_string())))
                }),
                ("flow", || format!("{:?}", [flow(&[1, 2]), flow(&[1, -2]), flow(&[])])),
                ("macros", || format!("{:?}", [None, Some(0), Some(4)].map(macros))),
                ("never", || format!("{:?}", [0, 1, 9].map(never))),
                ("lazy", || format!("{:?}", [0, 1, 2, 3, 5].map(lazy))),
                ("iterators", || {
                    format!("{:?}", iterators(&mut [1, 2, 3].into_iter(), &mut vec![0, 1, 5, 6, 7].into_iter()))
                }),
                ("mutates", || {
                    format!("{:?}", {
                        let (mut v, mut m) = (vec![7], HashMap::new());
                        (mutates(&mut v, &mut m), mutates(&mut vec![], &mut m), v, m)
                    })
                }),
                ("items", || format!("{:?}", [items(1), items(2)])),
                ("attributed", || format!("{:?}", [attributed(0, 1), attributed(0, 9)])),
                ("called from", || format!("{:?}", called_from())),
                ("raw", || {
                    format!("{:?}", {
                        let mut x = 1;
                        (raw_and_unsafe(&mut x), raw_and_unsafe(&mut x), raw_and_unsafe(&mut x))
                    })
                }),
                ("strings", || format!("{:?}", [None, Some("x=NaN"), Some("y=1.25"), Some("z=k")].map(strings))),
                ("recursive", || format!("{:?}", recursive(vec!['a', 'b', 'c'], 2))),
                ("bounds", || format!("{:?}", trait_bounds("abcab".chars()))),
                ("inferred", || format!("{:?}", [inferred(1), inferred(5)])),
            ]
        }
    };
}

compare!();
