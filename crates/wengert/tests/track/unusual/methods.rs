//! Methods of traits and types.

use super::*;

macro_rules! functions {
    ($on:meta) => {
        #[cfg_attr($on, track)]
        fn lifetimes_without_names(x: Option<Words>, y: &Words<'_>, z: Cell<&str>) -> usize {
            if let Some(x) = &x { x.0.len() } else { y.0.len() + z.get().len() }
        }

        #[cfg_attr($on, track)]
        fn struct_literals(n: u32) -> (Point<u32>, u32) {
            let p = Point { x: { if n > 2 { n } else { 2 } }, ..Point { x: 0, y: n } };
            let Point { x, y: ref z } = p;
            if (Point { x, y: *z }) == p && p == (Point { x, ..p }) {
                return (Point { y: x, x: *z }, 1);
            }
            (p, 0)
        }
        impl<T: Copy + Add<Output = T> + Debug> Shape for Point<T> {
            type Side<'a>
                = &'a T
            where
                T: 'a;
            const CORNERS: usize = 1;
            #[cfg_attr($on, track)]
            fn side(&self, first: bool) -> Self::Side<'_> {
                if first {
                    return &self.x;
                }
                &self.y
            }
            #[cfg_attr($on, track)]
            fn new() -> Option<Self>
            where
                Self: Sized,
            {
                None
            }
            #[cfg_attr($on, track)]
            fn boxed(self: Box<Self>) -> Box<dyn Debug>
            where
                Self: 'static,
            {
                let Point { x, y } = *self;
                Box::new(x + y)
            }
        }
        trait Shape: Debug {
            type Side<'a>: Debug
            where
                Self: 'a;
            const CORNERS: usize;
            fn side(&self, first: bool) -> Self::Side<'_>;
            fn new() -> Option<Self>
            where
                Self: Sized;
            fn boxed(self: Box<Self>) -> Box<dyn Debug>
            where
                Self: 'static;
            #[cfg_attr($on, track)]
            fn both(&self) -> (Self::Side<'_>, usize)
            where
                Self: Sized,
            {
                let s = self.side(true);
                (s, Self::CORNERS)
            }
            #[cfg_attr($on, track)]
            fn or_new(self) -> Self
            where
                Self: Sized,
            {
                Self::new().unwrap_or(self)
            }
            #[cfg_attr($on, track)]
            fn shared(self: Rc<Self>, n: usize) -> usize {
                if Rc::strong_count(&self) > n { 1 } else { Self::CORNERS + n }
            }
            #[cfg_attr($on, track)]
            fn pinned(mut self: Pin<&mut Self>) -> bool
            where
                Self: Unpin,
            {
                let this: &mut Self = &mut self;
                format!("{this:?}").len() > 3
            }
            #[cfg_attr($on, track)]
            fn dropped(self: Box<Self>) {
                log(format!("{self:?}"));
            }
        }
        impl Index<&str> for Point<u32> {
            type Output = u32;
            #[cfg_attr($on, track)]
            fn index(&self, name: &str) -> &u32 {
                match name {
                    "x" => &self.x,
                    "y" => &self.y,
                    other => panic!("no {other}"),
                }
            }
        }
        impl<T: Copy> Deref for Point<T> {
            type Target = T;
            #[cfg_attr($on, track)]
            fn deref(&self) -> &T {
                &self.x
            }
        }
        impl<'a> Iterator for Words<'a> {
            type Item = &'a str;
            #[cfg_attr($on, track)]
            fn next(&mut self) -> Option<Self::Item> {
                let s = self.0.trim_start();
                let end = s.find(' ').unwrap_or(s.len());
                let (word, rest) = s.split_at(end);
                self.0 = rest;
                (!word.is_empty()).then_some(word)
            }
        }
        impl<'a> Words<'a> {
            #[cfg_attr($on, track)]
            fn rest(&self, skip: Self) -> &'a str {
                if skip.0.is_empty() {
                    return "";
                }
                self.0
            }
            #[cfg_attr($on, track)]
            fn with(&mut self, f: impl for<'x> FnOnce(&'x mut Words<'a>) -> &'x mut &'a str) -> &mut Self {
                *f(self) = "c d";
                self
            }
        }
        impl Drop for Words<'_> {
            #[cfg_attr($on, track)]
            fn drop(&mut self) {
                if !self.0.is_empty() {
                    log(format!("left {}", self.0));
                }
            }
        }
        #[derive(Debug, PartialEq, Clone, Copy)]
        struct Point<T> {
            x: T,
            y: T,
        }
        struct Words<'a>(&'a str);

        pub fn runs() -> Vec<Run> {
            vec![
                ("struct literals", || format!("{:?}", [struct_literals(1), struct_literals(2)])),
                ("lifetimes", || {
                    format!("{:?}", {
                        let s = String::from("abc");
                        (
                            lifetimes_without_names(None, &Words(&s), Cell::new(&s)),
                            lifetimes_without_names(Some(Words(&s)), &Words(""), Cell::new("")),
                        )
                    })
                }),
                ("methods", || {
                    format!("{:?}", {
                        let p = Point { x: 1u32, y: 2 };
                        format!(
                            "{:?}",
                            (
                                p.both(),
                                *p.side(false),
                                p.or_new(),
                                Box::new(p).boxed(),
                                Rc::new(p).shared(0),
                                Rc::new(p).shared(1),
                                Pin::new(&mut { p }).pinned(),
                                Box::new(p).dropped(),
                                p["y"],
                                p.count_ones()
                            )
                        )
                    })
                }),
                ("unwinds", || format!("{:?}", std::panic::catch_unwind(|| Point { x: 1, y: 2 }["z"]).is_err())),
                ("words", || {
                    format!("{:?}", {
                        let text = String::from(" a  b ");
                        let mut w = Words(&text);
                        format!(
                            "{:?}",
                            (
                                w.next(),
                                w.rest(Words("")),
                                w.rest(Words("b")),
                                w.with(|w| &mut w.0).next(),
                                w.map(str::len).collect::<Vec<_>>()
                            )
                        )
                    })
                }),
            ]
        }
    };
}

compare!();
