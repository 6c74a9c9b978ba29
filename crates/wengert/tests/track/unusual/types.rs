//! Generics, types and patterns.

use super::*;

macro_rules! functions {
    ($on:meta) => {
        #[cfg_attr($on, track)]
        fn sized<const N: usize, const B: bool>(x: [u8; N]) -> [u8; N] {
            if B { x.map(|b| b + 1) } else { x }
        }

        #[cfg_attr($on, track)]
        fn filled<T: Default + Copy, const N: usize>() -> [T; N]
        where
            [T; N]: Debug,
        {
            [T::default(); N]
        }

        #[cfg_attr($on, track)]
        fn shown(x: impl Display + Copy, f: impl Fn(&str) -> String, each: &mut impl FnMut(usize)) -> String {
            each(1);
            f(&format!("{x}{x}"))
        }

        #[cfg_attr($on, track)]
        fn ranked<F>(f: F) -> usize
        where
            F: for<'a> Fn(&'a str, &'a str) -> &'a str,
        {
            let s = String::from("local");
            f(&s, "b").len()
        }

        #[cfg_attr($on, track)]
        fn pointers(up: bool) -> for<'a> fn(&'a [u32]) -> Option<&'a u32> {
            fn last(x: &[u32]) -> Option<&u32> {
                x.last()
            }
            if up { |x| x.first() } else { last }
        }

        #[cfg_attr($on, track)]
        fn longest<'a: 'b, 'b>(x: &'a str, y: &'b str, n: &'static str) -> Cow<'b, str> {
            match (x.len(), y.len()) {
                (0, 0) => Cow::Borrowed(n),
                (a, b) if a > b => Cow::from(x),
                _ => Cow::Owned(y.to_uppercase()),
            }
        }

        #[cfg_attr($on, track)]
        fn unsized_things(
            s: &str,
            t: &[Dropped],
            d: &dyn Debug,
            f: &mut dyn FnMut(u32) -> u32,
            b: Box<[u32]>,
            r: Rc<str>,
        ) -> Box<str> {
            let [first, .., last] = t else { return "none".into() };
            format!("{s}{first:?}{last:?}{d:?}{}{b:?}{r}", f(1)).into_boxed_str()
        }

        #[cfg_attr($on, track)]
        fn phantom<T: ?Sized, U>(_: PhantomData<T>, x: Option<U>) -> (PhantomData<U>, bool) {
            (PhantomData, x.is_some())
        }

        #[cfg_attr($on, track)]
        fn dynamic(n: u32) -> Result<Box<dyn Iterator<Item = u32> + Send>, Box<dyn Error + Send + Sync>> {
            match n {
                0 => Err("zero")?,
                1 => return Err(Box::new(fmt::Error)),
                2 => Ok(Box::new(std::iter::empty())),
                n => Ok(Box::new((0..n).filter(move |x| x % 2 == n % 2))),
            }
        }

        #[cfg_attr($on, track)]
        fn unsizes(n: u32) -> (&'static [u8], &'static dyn Debug, Rc<dyn Fn() -> u32>) {
            (b"abc", &5, Rc::new(move || n))
        }

        #[cfg_attr($on, track)]
        fn patterns(
            &(a, ref b): &(u32, String),
            [x, .., y]: [u32; 4],
            mut z: Dropped,
            (Ok(e) | Err(e)): Result<u32, u32>,
            ref s: String,
        ) -> String {
            z.0 = "renamed";
            format!("{a}{b}{x}{y}{e}{s}")
        }

        #[cfg_attr($on, track)]
        fn bindings(x: Option<Vec<u32>>) -> u32 {
            let ref copy @ Some(ref inner) = x else { return 0 };
            let mut v = (inner.clone(), copy.is_some());
            let (ref mut w, _) = v;
            w.push(9);
            match &mut v.0[..] {
                [] => 1,
                [one] => {
                    *one += 1;
                    *one
                }
                [first, middle @ .., last] if { *first > 3 } => {
                    let n = *last;
                    *first += n;
                    middle.len() as u32 + n
                }
                [first, rest @ ..] => {
                    rest[0] += *first;
                    rest.iter().sum()
                }
            }
        }

        #[cfg_attr($on, track)]
        fn boxes(x: Box<(Dropped, Dropped)>) -> usize {
            let (a, _) = *x;
            log("moved one");
            match a {
                Dropped(ref s) if s.is_empty() => 0,
                d @ Dropped(..) => {
                    let n = d.0.len();
                    drop(d);
                    log("after");
                    n
                }
            }
        }

        #[cfg_attr($on, track)]
        fn shadows(x: u32) -> u32 {
            let x = x + 1;
            let x = {
                let x = x * 2;
                if let Some(x) = x.checked_sub(3) { x } else { x }
            };
            let x = |y: u32| {
                let x = x + y;
                x
            };
            let x = match x(1) {
                x if x > 100 => 0,
                x => x,
            };
            x
        }

        #[cfg_attr($on, track)]
        fn ranges(x: i64) -> &'static str {
            const LOW: i64 = -5;
            match x {
                i64::MIN..LOW => "low",
                LOW..=-1 => "negative",
                0 => "zero",
                1.. => "positive",
            }
        }

        #[cfg_attr($on, track)]
        fn nested_ors(x: (Option<u32>, Result<u32, u32>)) -> u32 {
            match x {
                (Some(n @ (1 | 2)), Ok(m) | Err(m)) | (Some(m), Ok(n)) if n < m => n,
                (None, _) => 7,
                (Some(_), Ok(_) | Err(_)) => 8,
            }
        }

        pub fn runs() -> Vec<Run> {
            vec![
                ("sized", || format!("{:?}", (sized::<2, true>([1, 2]), sized::<0, false>([])))),
                ("filled", || format!("{:?}", filled::<u16, 3>())),
                ("shown", || {
                    format!("{:?}", {
                        let mut n = 0;
                        let s = shown(1.5, |s| s.to_uppercase(), &mut |k| n += k);
                        (s, n)
                    })
                }),
                ("ranked", || format!("{:?}", ranked(|a, _| a))),
                ("pointers", || format!("{:?}", (pointers(true)(&[1, 2]), pointers(false)(&[1, 2])))),
                ("longest", || {
                    format!("{:?}", {
                        let s = String::from("abc");
                        (longest(&s, "d", "e").into_owned(), longest("", &s, "e").into_owned(), longest("", "", "e"))
                    })
                }),
                ("unsized", || {
                    format!("{:?}", {
                        let mut n = 1;
                        [
                            unsized_things(
                                "a",
                                &[made("one"), made("two")],
                                &Some(1),
                                &mut |k| {
                                    n += k;
                                    n
                                },
                                vec![1].into(),
                                "r".into(),
                            ),
                            unsized_things("", &[], &(), &mut |_| 0, Box::new([]), "".into()),
                        ]
                    })
                }),
                ("phantom", || format!("{:?}", phantom::<str, u32>(PhantomData, Some(1)))),
                ("dynamic", || {
                    format!(
                        "{:?}",
                        (0..5)
                            .map(|n| dynamic(n).map(|it| it.collect::<Vec<_>>()).map_err(|e| e.to_string()))
                            .collect::<Vec<_>>()
                    )
                }),
                ("unsizes", || {
                    format!("{:?}", {
                        let (a, b, c) = unsizes(3);
                        format!("{a:?}{b:?}{}", c())
                    })
                }),
                ("patterns", || {
                    format!("{:?}", patterns(&(1, "b".into()), [1, 2, 3, 4], made("z"), Err(5), "s".into()))
                }),
                ("bindings", || {
                    format!(
                        "{:?}",
                        [
                            bindings(None),
                            bindings(Some(vec![])),
                            bindings(Some(vec![4, 5])),
                            bindings(Some(vec![1, 2]))
                        ]
                    )
                }),
                ("boxes", || format!("{:?}", boxes(Box::new((made("first"), made("second")))))),
                ("shadows", || format!("{:?}", [shadows(0), shadows(7)])),
                ("ranges", || format!("{:?}", [-9, -2, 0, 3].map(ranges))),
                ("nested ors", || {
                    format!(
                        "{:?}",
                        [(Some(1), Err(5)), (Some(9), Ok(1)), (None, Ok(0)), (Some(0), Ok(3))].map(nested_ors)
                    )
                }),
            ]
        }
    };
}

compare!();
