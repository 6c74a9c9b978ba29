//! The one protocol-buffer message PJRT asks for: `CompileOptionsProto`, written by hand.

/// What a program is compiled for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CompileOptions {
    /// The ids of the devices, one for each replica and partition: all replicas of partition 0, then of partition 1.
    pub(crate) devices: Vec<i32>,
    /// How many parts one instance of the program is cut into.
    pub(crate) partitions: usize,
    /// Switches of the compiler and their values, as text.
    pub(crate) switches: Vec<(String, String)>,
}

/// Field numbers of the messages.
mod field {
    pub(super) const BUILD_OPTIONS: u64 = 3;
    pub(super) const OVERRIDES: u64 = 7;
    pub(super) const KEY: u64 = 1;
    pub(super) const VALUE: u64 = 2;
    pub(super) const TEXT: u64 = 1;
    pub(super) const DEVICE_ORDINAL: u64 = 1;
    pub(super) const NUM_REPLICAS: u64 = 4;
    pub(super) const NUM_PARTITIONS: u64 = 5;
    pub(super) const USE_SPMD: u64 = 6;
    pub(super) const DEVICE_ASSIGNMENT: u64 = 9;
    pub(super) const REPLICA_COUNT: u64 = 1;
    pub(super) const COMPUTATION_COUNT: u64 = 2;
    pub(super) const COMPUTATION_DEVICES: u64 = 3;
    pub(super) const REPLICA_DEVICE_IDS: u64 = 1;
}

impl CompileOptions {
    /// The message.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let replicas = self.devices.len() / self.partitions;
        let mut assignment = Message::default();
        assignment.number(field::REPLICA_COUNT, replicas as u64);
        assignment.number(field::COMPUTATION_COUNT, self.partitions as u64);
        for ids in self.devices.chunks(replicas) {
            let mut packed = Message::default();
            ids.iter().for_each(|&id| packed.varint(id as u64));
            let mut computation = Message::default();
            computation.bytes(field::REPLICA_DEVICE_IDS, &packed.0);
            assignment.bytes(field::COMPUTATION_DEVICES, &computation.0);
        }
        let mut build = Message::default();
        // Not set: the assignment says which devices.
        build.number(field::DEVICE_ORDINAL, -1i64 as u64);
        build.number(field::NUM_REPLICAS, replicas as u64);
        build.number(field::NUM_PARTITIONS, self.partitions as u64);
        build.number(field::USE_SPMD, (self.partitions > 1) as u64);
        build.bytes(field::DEVICE_ASSIGNMENT, &assignment.0);
        let mut options = Message::default();
        options.bytes(field::BUILD_OPTIONS, &build.0);
        for (name, text) in &self.switches {
            let (mut value, mut entry) = (Message::default(), Message::default());
            value.bytes(field::TEXT, text.as_bytes());
            entry.bytes(field::KEY, name.as_bytes());
            entry.bytes(field::VALUE, &value.0);
            options.bytes(field::OVERRIDES, &entry.0);
        }
        options.0
    }
}

#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut x: u64) {
        while x >= 0x80 {
            self.0.push(x as u8 | 0x80);
            x >>= 7;
        }
        self.0.push(x as u8);
    }

    fn number(&mut self, field: u64, x: u64) {
        self.varint(field << 3);
        self.varint(x);
    }

    fn bytes(&mut self, field: u64, content: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(content.len() as u64);
        self.0.extend_from_slice(content);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that protoc's library writes for the same options.
    #[test]
    fn messages_are_encoded_as_the_format_says() {
        let one = CompileOptions { devices: vec![0], partitions: 1, switches: Vec::new() }.encode();
        let minus_one = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        let mut want = vec![0x1a, 28, 0x08];
        want.extend(minus_one);
        want.extend([0x20, 1, 0x28, 1, 0x30, 0, 0x4a, 9, 0x08, 1, 0x10, 1, 0x1a, 3, 0x0a, 1, 0]);
        assert_eq!(one, want);
        let switches = vec![("ab".to_string(), "c".to_string())];
        let four = CompileOptions { devices: vec![0, 1, 2, 300], partitions: 2, switches }.encode();
        assert!(four.windows(6).any(|w| w == [0x1a, 5, 0x0a, 3, 2, 0xac]), "{four:x?}");
        assert!(four.ends_with(b"\x3a\x09\x0a\x02ab\x12\x03\x0a\x01c"), "{four:x?}");
    }
}
