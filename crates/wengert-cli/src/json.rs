//! JSON out: values as text that every reader of JSON takes, and nodes of tapes as such values.

use std::fmt;
use wengert_core::{DType, Scalar, Tensor};
use wengert_tape::{Argument, Constant, HostNumber, HostType, Kind, MetaValue, Node, Summary};

/// A value of JSON.
pub enum Json {
    Null,
    Bool(bool),
    /// A number as it is written.
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// Arrays of more elements are shown by type and summary.
const ELEMENTS: usize = 16;

impl Json {
    pub fn text(text: impl Into<String>) -> Json {
        Json::Text(text.into())
    }

    pub fn count(n: usize) -> Json {
        Json::Number(n.to_string())
    }

    /// A float; JSON has no name for NaN and the infinities, and they are strings.
    pub fn float(x: f64) -> Json {
        match x {
            x if x.is_finite() => Json::Number(format!("{x:?}")),
            x if x.is_nan() => Json::text("NaN"),
            x => Json::text(if x > 0.0 { "Infinity" } else { "-Infinity" }),
        }
    }

    /// A float with as many digits as tell it from others of half the size.
    fn short_float(x: f32) -> Json {
        if x.is_finite() { Json::Number(format!("{x:?}")) } else { Json::float(f64::from(x)) }
    }

    /// One element of an array; a complex one is a list of two.
    pub fn scalar(s: Scalar) -> Json {
        let float = |x: f64, wide: bool| if wide { Json::float(x) } else { Json::short_float(x as f32) };
        let wide = s.dtype().real() == DType::F64;
        match s.dtype() {
            DType::Bool => Json::Bool(s.as_i64() == Some(1)),
            d if d.is_complex() => {
                let c = s.as_complex();
                Json::List(vec![float(c.re, wide), float(c.im, wide)])
            }
            d if d.is_float() => float(s.as_f64().unwrap_or(f64::NAN), wide),
            DType::U64 => Json::Number((s.bits() as u64).to_string()),
            _ => Json::Number(s.as_i64().unwrap_or_default().to_string()),
        }
    }

    /// An array: the number itself, or a list of the elements in row-major order.
    fn array(t: &Tensor) -> Json {
        match t.shape().rank() {
            0 => Json::scalar(t.get(0)),
            _ => Json::List((0..t.size()).map(|i| Json::scalar(t.get(i))).collect()),
        }
    }

    /// All that is known of a node.
    pub fn node(n: Node<'_>) -> Json {
        let mut all = Fields::default();
        let id = |n: Node<'_>| Json::count(n.id().index());
        all.put("id", id(n)).put("kind", Json::text(n.kind().name())).put("function", Json::text(n.function()));
        all.maybe("op", n.op().map(|op| Json::text(op.to_string())));
        all.maybe("name", n.name().map(Json::text));
        all.maybe("file", n.place().parts().map(|p| Json::text(p.0)));
        all.maybe("line", n.place().parts().map(|p| Json::count(p.1 as usize)));
        all.maybe("column", n.place().parts().map(|p| Json::count(p.2 as usize)));
        all.maybe("statement", n.source().map(|s| Json::text(s.statement)));
        all.maybe("block", n.block().map(|b| Json::count(b as usize)));
        all.maybe("target", n.target().map(|b| Json::count(b as usize)));
        all.maybe("condition", n.condition().map(Json::Bool));
        all.maybe("parent", n.parent().map(id));
        all.maybe("shares", n.shares().map(id));
        let flags = [("unwound", n.unwound()), ("abstract", n.is_abstract())];
        flags.iter().for_each(|&(name, holds)| all.maybe(name, holds.then_some(Json::Bool(true))));
        all.maybe("nanoseconds", n.nanos().map(Json::float));
        all.put("arguments", Json::List(n.arguments().map(argument).collect()));
        // The condition of a branch is all that it gives.
        let results = if n.kind() == Kind::Branch { 0 } else { n.result_count() };
        all.put("results", Json::List((0..results).map(|i| result(n, i)).collect()));
        let metadata: Vec<(String, Json)> = n.metadata().map(|(key, v)| (key.into(), metadata_value(v))).collect();
        all.maybe("metadata", (!metadata.is_empty()).then_some(Json::Object(metadata)));
        Json::Object(all.0)
    }
}

/// The fields of an object.
#[derive(Default)]
struct Fields(Vec<(String, Json)>);

impl Fields {
    fn put(&mut self, name: &str, value: Json) -> &mut Fields {
        self.0.push((name.into(), value));
        self
    }

    fn maybe(&mut self, name: &str, value: Option<Json>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }
}

fn argument(a: Argument<'_>) -> Json {
    let mut all = Fields::default();
    match a {
        Argument::Node(r) => all.put("node", Json::count(r.node.id().index())).put("result", Json::count(r.out)),
        Argument::Constant(c) => match c {
            Constant::Number(s, ty) => all.put("type", Json::text(ty.to_string())).put("value", Json::scalar(*s)),
            Constant::Host(x) => all.put("type", Json::text(x.ty.name())).put("value", number(*x)),
            Constant::Shown(text, ty) => all.put("type", Json::text(&**ty)).put("text", Json::text(&**text)),
            Constant::Linked(from, ty) => {
                all.put("node", Json::count(from.node.index())).put("result", Json::count(from.out));
                all.put("type", Json::text(ty.to_string()))
            }
            Constant::Text(text) => all.put("text", Json::text(&**text)),
        },
    };
    Json::Object(all.0)
}

fn result(n: Node<'_>, i: usize) -> Json {
    let mut all = Fields::default();
    all.maybe("type", n.type_name(i).map(Json::text));
    if let Some(x) = n.number(i) {
        all.put("value", number(x));
        return Json::Object(all.0);
    }
    if let Some(text) = n.text(i) {
        all.put("text", Json::text(text));
        return Json::Object(all.0);
    }
    match n.read(i) {
        Err(_) => all.maybe("damaged", Some(Json::Bool(true))),
        Ok(value) => {
            all.maybe("value", value.filter(|t| t.size() <= ELEMENTS).map(|t| Json::array(&t)));
            all.maybe("summary", n.summary(i).map(|s| summary(&s)));
        }
    }
    Json::Object(all.0)
}

/// A number of the host; a character is a string.
fn number(x: HostNumber) -> Json {
    match x.ty {
        HostType::Char => Json::text(char::from_u32(x.bits as u32).unwrap_or(char::REPLACEMENT_CHARACTER)),
        _ => Json::scalar(x.scalar()),
    }
}

fn summary(s: &Summary) -> Json {
    let mut all = Fields::default();
    all.put("min", Json::float(s.min)).put("max", Json::float(s.max)).put("mean", Json::float(s.mean));
    all.put("nans", Json::Number(s.nans.to_string()));
    Json::Object(all.0)
}

fn metadata_value(v: &MetaValue) -> Json {
    match v {
        MetaValue::Bool(x) => Json::Bool(*x),
        MetaValue::Int(x) => Json::Number(x.to_string()),
        MetaValue::Float(x) => Json::float(*x),
        MetaValue::Text(x) => Json::text(x),
        MetaValue::Array(t) => {
            let mut all = Fields::default();
            all.put("type", Json::text(t.ty().to_string()));
            all.maybe("value", (t.size() <= ELEMENTS).then(|| Json::array(t)));
            all.put("summary", summary(&Summary::of(t)));
            Json::Object(all.0)
        }
        MetaValue::Bytes(x) => Json::List(x.iter().map(|&b| Json::count(b.into())).collect()),
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(x) => write!(f, "{x}"),
            Json::Number(x) => f.write_str(x),
            Json::Text(x) => quoted(x, f),
            Json::List(all) => {
                f.write_str("[")?;
                for (i, x) in all.iter().enumerate() {
                    write!(f, "{}{x}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
            Json::Object(all) => {
                f.write_str("{")?;
                for (i, (name, x)) in all.iter().enumerate() {
                    f.write_str(if i > 0 { ", " } else { "" })?;
                    quoted(name, f)?;
                    write!(f, ": {x}")?;
                }
                f.write_str("}")
            }
        }
    }
}

/// A string of JSON: what may not stand in one is escaped, and so is what could move a cursor.
fn quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_control() => write!(f, "\\u{:04x}", c as u32)?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_json_has_them() {
        let says = |json: Json, text: &str| assert_eq!(json.to_string(), text);
        says(Json::float(f64::NAN), "\"NaN\"");
        says(Json::float(f64::NEG_INFINITY), "\"-Infinity\"");
        says(Json::float(1e300), "1e300");
        says(Json::float(-0.0), "-0.0");
        says(Json::scalar(Scalar::F32(0.1)), "0.1");
        says(number(u64::MAX.into()), "18446744073709551615");
        says(number('"'.into()), "\"\\\"\"");
        says(number(true.into()), "true");
        says(Json::text("a\n\u{1b}\\\u{85}"), "\"a\\n\\u001b\\\\\\u0085\"");
        says(Json::array(&Tensor::new([2], vec![1.5f32, f32::INFINITY]).unwrap()), "[1.5, \"Infinity\"]");
        says(
            Json::Object(vec![("a".into(), Json::Null), ("b".into(), Json::List(vec![]))]),
            "{\"a\": null, \"b\": []}",
        );
    }
}
