//! The bytes of a file: what is read when it is opened, and what is read when it is asked for. Nothing is mapped: a file
//! that is cut while it is open is an error, and not the end of the process.

use super::{damaged, io_error};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Mutex;
use wengert_core::{Error, Result};

/// As many bytes are read at a time: few enough to stay in a cache, in which the system copies faster.
const PIECE: usize = 1 << 17;

/// Bytes that rows can lie in.
pub(crate) struct AlignedBytes(Vec<u64>, usize);

impl AlignedBytes {
    pub(crate) fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.0)[..self.1]
    }
}

/// A checksum of what is written to it.
#[derive(Default)]
pub(super) struct ChecksumWriter(crc32fast::Hasher);

impl ChecksumWriter {
    pub(super) fn finish(self) -> u32 {
        self.0.finalize()
    }
}

impl Write for ChecksumWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Where bytes are read from.
pub(super) enum Source {
    /// A file that is open. It is the same file when another takes its place.
    File {
        file: Mutex<File>,
        size: u64,
    },
    Memory(Vec<u8>),
}

impl Source {
    /// The file at this path.
    pub(super) fn open(path: &Path) -> Result<Source> {
        // Asked first: to open a pipe would wait.
        if !std::fs::metadata(path).map_err(io_error)?.is_file() {
            return Err(damaged("this is not a file"));
        }
        let file = File::open(path).map_err(io_error)?;
        let size = file.metadata().map_err(io_error)?.len();
        Ok(Source::File { file: Mutex::new(file), size })
    }

    /// Its bytes when it was opened.
    pub(super) fn size(&self) -> u64 {
        match self {
            Source::File { size, .. } => *size,
            Source::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Reads as many bytes as there is room for, from this one on.
    pub(super) fn read(&self, at: u64, room: &mut [u8]) -> Result<()> {
        let ended = || damaged("it ends before its last array: it was cut, or written to, while it was open");
        match self {
            Source::Memory(bytes) => {
                let from = usize::try_from(at).ok().and_then(|at| bytes.get(at..)?.get(..room.len()));
                room.copy_from_slice(from.ok_or_else(ended)?);
                Ok(())
            }
            Source::File { file, .. } => {
                // Who panicked with the lock left no more than a position, and that is set here.
                let mut file = file.lock().unwrap_or_else(|e| e.into_inner());
                let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(room));
                read.map_err(|e| if e.kind() == std::io::ErrorKind::UnexpectedEof { ended() } else { io_error(e) })
            }
        }
    }

    /// Bytes from this one on, as many as this. An error where there is no memory for them.
    pub(super) fn bytes(&self, at: u64, size: u64) -> Result<Vec<u8>> {
        let mut bytes: Vec<u8> = Vec::new();
        let size = room_for(&mut bytes, size)?;
        bytes.resize(size, 0);
        self.read(at, &mut bytes)?;
        Ok(bytes)
    }

    /// The first bytes, as many as this, for rows.
    pub(super) fn aligned(&self, size: u64) -> Result<AlignedBytes> {
        let words = vec![0u64; size.div_ceil(8) as usize];
        crate::row::ask_for_large_pages(&words);
        let mut all = AlignedBytes(words, size as usize);
        let room = &mut bytemuck::cast_slice_mut(&mut all.0)[..size as usize];
        for (i, piece) in room.chunks_mut(PIECE).enumerate() {
            self.read((i * PIECE) as u64, piece)?;
        }
        Ok(all)
    }

    /// The CRC-32 of bytes from this one on, as many as this.
    pub(super) fn checksum(&self, mut at: u64, size: u64) -> Result<u32> {
        let (mut sum, end) = (crc32fast::Hasher::new(), at + size);
        let mut piece = vec![0; size.min(PIECE as u64) as usize];
        while at < end {
            let n = (end - at).min(PIECE as u64);
            self.read(at, &mut piece[..n as usize])?;
            sum.update(&piece[..n as usize]);
            at += n;
        }
        Ok(sum.finalize())
    }
}

/// Makes room for so many bytes.
fn room_for(bytes: &mut Vec<u8>, size: u64) -> Result<usize> {
    let room = usize::try_from(size).ok().filter(|n| bytes.try_reserve_exact(*n).is_ok());
    room.ok_or_else(|| Error::file(format!("there is no memory for the {size} bytes of an array")))
}
