//! Temporaries, guards, panics: when things are dropped.

use super::*;

macro_rules! functions {
    ($on:meta) => {
        #[cfg_attr($on, track)]
        fn locks(m: &Mutex<Vec<u32>>) -> u32 {
            match m.lock().unwrap().last() {
                Some(n) => {
                    log(format!("held {}", m.try_lock().is_err()));
                    *n
                }
                None => 0,
            };
            if let Some(n) = m.lock().unwrap().pop() {
                log(format!("held {} {n}", m.try_lock().is_err()));
            } else {
                log(format!("else {}", m.try_lock().is_err()));
            }
            while m.lock().unwrap().len() > 2 {
                log(format!("while {}", m.try_lock().is_err()));
                m.lock().unwrap().pop();
            }
            while let Some(n) = {
                let n = m.lock().unwrap().pop();
                n
            } {
                log(format!("let {} {n}", m.try_lock().is_err()));
            }
            let n = m.lock().unwrap().len() as u32;
            for i in m.lock().unwrap().drain(..) {
                log(i.to_string());
            }
            m.lock().unwrap().push(n);
            m.lock().unwrap()[0]
        }

        #[cfg_attr($on, track)]
        fn guard(m: &Mutex<u32>) -> MutexGuard<'_, u32> {
            let mut g = m.lock().unwrap();
            *g += 1;
            if *g > 5 {
                return g;
            }
            *g *= 2;
            g
        }

        #[cfg_attr($on, track)]
        fn references_to_temporaries(x: u32) -> usize {
            let a = match &made("matched") {
                d if x > 0 => d.0.len(),
                d => {
                    log(d.0);
                    0
                }
            };
            let b = &match x {
                0 => made("zero"),
                _ => made("more"),
            };
            let c: &dyn Debug = if x > 1 { &made("then") } else { &5 };
            log(format!("{b:?} {c:?}"));
            match *&*made("deref").0 {
                ref s => a + s.len(),
            }
        }

        #[cfg_attr($on, track)]
        fn statements_drop(x: Option<Dropped>) -> Option<u32> {
            made("a").get()?;
            let _ = x.as_ref()?.get();
            let _kept = x?;
            (made("b").get()? + made("c").get()?).checked_sub({
                let _d = made("d");
                1
            })
        }

        #[cfg_attr($on, track)]
        fn chain_drops(x: u32) -> u32 {
            if made("one").yes()
                && let Some(n) = made("two").get()
                && n > x
                && made("three").yes()
            {
                log("in");
                n
            } else {
                log("out");
                x
            }
        }

        #[cfg_attr($on, track)]
        fn panics(x: u32) -> u32 {
            let _a = made("outer");
            for i in 0..x {
                let _b = made("inner");
                if i == 1 {
                    let _: u32 = "no".parse().unwrap();
                }
            }
            x
        }

        #[cfg_attr($on, track)]
        fn assigns(x: bool) -> Vec<&'static str> {
            let (mut a, b);
            let c: Dropped;
            if x {
                b = made("b");
                a = "x";
                c = made("c")
            } else {
                a = "y";
                return vec![a];
            }
            let d;
            loop {
                d = made("d");
                break;
            }
            (a, _) = (b.0, 1);
            let mut v = vec![a, c.0];
            [v[0], _] = [d.0, ""];
            v
        }

        pub fn runs() -> Vec<Run> {
            vec![
                ("locks", || format!("{:?}", locks(&Mutex::new(vec![1, 2, 3, 4, 5])))),
                ("guard", || {
                    format!("{:?}", {
                        let m = Mutex::new(1);
                        let a = *guard(&m);
                        let b = *guard(&m);
                        let c = *guard(&m);
                        (a, b, c)
                    })
                }),
                ("references", || format!("{:?}", [0, 1, 2].map(references_to_temporaries))),
                ("statements", || format!("{:?}", (statements_drop(None), statements_drop(Some(made("x")))))),
                ("chains", || format!("{:?}", [chain_drops(0), chain_drops(9)])),
                ("panics", || format!("{:?}", [0, 1, 3].map(|n| std::panic::catch_unwind(|| panics(n)).ok()))),
                ("assigns", || format!("{:?}", [assigns(true), assigns(false)])),
            ]
        }
    };
}

compare!();
