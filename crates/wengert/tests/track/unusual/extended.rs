//! Temporaries whose lives constructors extend, constants that a borrow makes last forever, and types that are expected of both.

use super::*;

struct W<T>(T);
struct In<'a> {
    r: &'a f64,
}
struct G<T: ?Sized>(T);
struct Area(f64);

impl Debug for W<&f64> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "W({})", self.0)
    }
}

fn st(x: &'static f64) -> f64 {
    *x
}

fn any_st<T>(x: &'static T) -> &'static T {
    x
}

fn increased(x: f64) -> f64 {
    x + 1.0
}

fn called(g: &G<fn(f64) -> f64>) -> f64 {
    (g.0)(1.0)
}

fn boxed(g: &G<Box<dyn Fn(f64) -> f64>>) -> f64 {
    (g.0)(2.0)
}

fn shown(g: &G<&dyn Debug>) -> String {
    format!("{:?}", g.0)
}

const K: f64 = 2.0;
#[allow(non_upper_case_globals)]
const small: f64 = 4.0;

#[derive(Debug)]
struct Both(f64, f64);
const BOTH: Both = Both(1.0, 2.0);

macro_rules! nothing {
    () => {};
}

macro_rules! functions {
    ($on:meta) => {
        #[cfg_attr($on, track)]
        fn nested(v: f64) -> f64 {
            let a = W(W(&(v + 1.0)));
            let b = W((&(v + 2.0), 1));
            let c = W(Some(&(v + 3.0)));
            let d = W([&(v + 4.0)]);
            let e = W(In { r: &(v + 5.0) });
            *a.0.0 + *b.0.0 + *c.0.unwrap() + *d.0[0] + *e.0.r
        }

        #[cfg_attr($on, track)]
        fn in_blocks(v: f64, n: u32) -> f64 {
            let a = W({ &(v + 1.0) });
            let b = W(if n > 1 { &(v + 2.0) } else { &(v + 3.0) });
            let c = W(match n {
                0 => &(v * 2.0),
                _ => &(v * 3.0),
            });
            let d = if n > 0 { W(&(v + 4.0)) } else { W(&(v + 5.0)) };
            let e = W(&Area(v) as &dyn std::any::Any);
            *a.0 + *b.0 + *c.0 + *d.0 + e.0.downcast_ref::<Area>().map_or(0.0, |a| a.0)
        }

        #[cfg_attr($on, track)]
        fn of_places(v: f64) -> String {
            let a = W(&*String::from("text"));
            let b = W(&vec![v][..]);
            let c = W(&[v, 1.0][..]);
            let d = W(&Both(v, 2.0).0);
            let (e, f) = (W(&(v + 1.0)), 2.0);
            format!("{} {:?} {:?} {} {e:?} {f}", a.0, b.0, c.0, d.0)
        }

        #[cfg_attr($on, track)]
        fn to_change(v: f64) -> f64 {
            let mut m = v;
            let a = W(&mut (v + 1.0));
            *a.0 += 1.0;
            let b = W((&mut m, &(v + 1.0)));
            *b.0.0 += *b.0.1;
            *a.0 + m
        }

        #[cfg_attr($on, track)]
        fn dropped_late(n: u32) -> usize {
            let a = W(&made("first"));
            let b = W((&made("second"), made("third")));
            log("between");
            a.0.0.len() + b.0.0.0.len() + n as usize
        }

        #[cfg_attr($on, track)]
        fn macros(v: f64) -> String {
            let a = (format_args!("{}", v + 1.0).to_string(), 1);
            let b = Some(std::pin::pin!(async move { v }));
            let c = W(std::pin::pin!(async move { v }));
            let d = (std::pin::pin!(async move { v }), 2.0);
            let _ = (&b, &c, &d);
            format!("{}{}", a.0, d.1)
        }

        #[cfg_attr($on, track)]
        fn forever(n: u32) -> String {
            let a = st(&(2.0 + 1.0)) + st(&-(2.0)) + st(&(2 as f64)) + st(&(K * 2.0)) + st(&(small * K));
            let b = (any_st(&!5), any_st(&(2 > 1)), any_st(&[-K]), any_st(&Some(2.0 * 2.0)), any_st(&(1..3)));
            let c = any_st(&W(BOTH.1)).0 + any_st(&W(small)).0 + any_st(&W([1.0 + K, 2.0])).0[0];
            let d = any_st(&In { r: &(1.0 + 2.0) }).r + any_st(&(W((1 + 1) as f64), 2).0.0).abs();
            fn inner() -> &'static f64 {
                &(1.0 * 2.0)
            }
            let e: &'static (f64, i32) = &(1.0 + 1.0, 2);
            let f: &'static f64;
            f = &(1.0 + 2.0);
            format!("{a} {b:?} {c} {d} {} {e:?} {f} {n}", inner())
        }

        #[cfg_attr($on, track)]
        fn expected(v: f64) -> String {
            let l = vec![v];
            let g: &G<fn(f64) -> f64> = &G(increased);
            format!("{} {} {} {}", called(&G(increased)), boxed(&G(Box::new(|k| k * 3.0))), shown(&G(&l)), called(g))
        }

        #[cfg_attr($on, track)]
        fn alternatives(v: f64) -> f64 {
            let a = {
                #[cfg(all())]
                {
                    v * 2.0
                }
                #[cfg(any())]
                {
                    1.0
                }
            };
            #[cfg(any())]
            {
                a
            }
            #[cfg(not(any()))]
            {
                a + 1.0
            }
        }

        #[cfg_attr($on, track)]
        fn raw_names(v: f64) -> f64 {
            let r#for = v;
            nothing!();
            let mut s = 0.0;
            for i in 0..2 {
                s += r#for * f64::from(i);
            }
            s
        }

        pub fn runs() -> Vec<Run> {
            vec![
                ("nested", || nested(1.5).to_string()),
                ("blocks", || format!("{:?}", [0, 1, 2].map(|n| in_blocks(1.5, n)))),
                ("places", || of_places(1.5)),
                ("changes", || to_change(1.5).to_string()),
                ("dropped", || dropped_late(2).to_string()),
                ("macros", || macros(1.5)),
                ("forever", || forever(1)),
                ("expected", || expected(1.5)),
                ("alternatives", || alternatives(1.5).to_string()),
                ("raw names", || raw_names(1.5).to_string()),
            ]
        }
    };
}

compare!();
