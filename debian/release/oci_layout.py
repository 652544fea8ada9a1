"""Writes an OCI image of one layer as an archive, and takes the layer out again.

    oci_layout.py write ARCH VERSION LAYER ARCHIVE
    oci_layout.py layer ARCHIVE FOLDER    writes FOLDER/layer-MACHINE.tar.gz, with the name Home Assistant has for ARCH

LAYER is a tar of the whole file system. The format is short (OCI Image Format 1.1: JSON files beside the layer,
each named by its SHA-256), and every tool that could write it would put its own time or name into it. The time
of all is SOURCE_DATE_EPOCH.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import sys
import tarfile
from datetime import UTC, datetime
from pathlib import Path

_NS_PER_S = 1_000_000_000
_HEALTH = ["CMD", "/usr/bin/python3", "-IS", "/usr/lib/oche/health.py"]
_CONFIG = {
    "User": "oche",
    "Env": ["PATH=/usr/bin", "LANG=C.UTF-8", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"],
    "Entrypoint": ["/usr/bin/oche"],
    "Cmd": ["run"],
    "Volumes": {"/var/lib/oche": {}},
    "WorkingDir": "/var/lib/oche",
    "StopSignal": "SIGTERM",
    # Not in the specification: Docker reads it all the same, podman is told by --health-cmd.
    "Healthcheck": {
        "Test": _HEALTH,
        "Interval": 30 * _NS_PER_S,
        "Timeout": 10 * _NS_PER_S,
        "StartPeriod": 60 * _NS_PER_S,
    },
}


class Layout:
    """The files of the archive, with the time they all have."""

    def __init__(self, time_s: int) -> None:
        self._time_s = time_s
        self._files: dict[str, bytes] = {}

    def add(self, name: str, content: bytes) -> None:
        """Adds a file by its name."""
        self._files[name] = content

    def add_blob(self, kind: str, content: bytes) -> dict[str, object]:
        """Adds a file by its sum. Returns its descriptor, by which others name it."""
        digest = hashlib.sha256(content).hexdigest()
        self.add(f"blobs/sha256/{digest}", content)
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(content)}

    def write(self, path: Path) -> None:
        """Writes the archive."""
        with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
            for name, content in sorted(self._files.items()):
                info = tarfile.TarInfo(name)
                info.size, info.mtime = len(content), self._time_s
                archive.addfile(info, io.BytesIO(content))


def _encode(value: object) -> bytes:
    return json.dumps(value, indent=1, sort_keys=True).encode()


def write_image(arch: str, version: str, layer: bytes, archive: Path, time_s: int) -> None:
    """Writes the image for this machine with the layer into the archive."""
    layout = Layout(time_s)
    created = datetime.fromtimestamp(time_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {
        "org.opencontainers.image.created": created,
        "org.opencontainers.image.licenses": "MIT",
        "org.opencontainers.image.title": "oche",
        "org.opencontainers.image.version": version,
    }
    packed = layout.add_blob("layer.v1.tar+gzip", gzip.compress(layer, compresslevel=9, mtime=0))
    config = {
        "architecture": arch,
        "os": "linux",
        "created": created,
        "config": {**_CONFIG, "Labels": labels},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
        "history": [{"created": created, "comment": "Debian 13 and oche"}],
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": layout.add_blob("config.v1+json", _encode(config)),
        "layers": [packed],
        "annotations": labels,
    }
    # By the first podman names it, by the second Docker.
    name = f"oche:{version}"
    named = {"org.opencontainers.image.ref.name": name, "io.containerd.image.name": f"docker.io/library/{name}"}
    index = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [
            {
                **layout.add_blob("manifest.v1+json", _encode(manifest)),
                "platform": {"architecture": arch, "os": "linux"},
                "annotations": named,
            }
        ],
    }
    layout.add("index.json", _encode(index))
    layout.add("oci-layout", _encode({"imageLayoutVersion": "1.0.0"}))
    layout.write(archive)


def read_layer(archive: Path) -> tuple[str, bytes]:
    """Returns the machine of an image of one layer, and the layer."""
    with tarfile.open(archive) as files:

        def read(name: str) -> bytes:
            file = files.extractfile(name)
            if file is None:
                raise ValueError(f"{name} in {archive} is no file")
            return file.read()

        def find(descriptor: dict[str, str]) -> bytes:
            return read(f"blobs/{descriptor['digest'].replace(':', '/')}")

        [described] = json.loads(read("index.json"))["manifests"]
        [layer] = json.loads(find(described))["layers"]
        return described["platform"]["architecture"], find(layer)


def main() -> None:
    """Does what the arguments say."""
    match sys.argv[1:]:
        case ["write", arch, version, layer, archive]:
            time_s = int(os.environ["SOURCE_DATE_EPOCH"])
            write_image(arch, version, Path(layer).read_bytes(), Path(archive), time_s)
        case ["layer", archive, folder]:
            arch, content = read_layer(Path(archive))
            machine = {"arm64": "aarch64"}.get(arch, arch)
            Path(folder, f"layer-{machine}.tar.gz").write_bytes(content)
        case _:
            sys.exit("The two forms of its arguments stand at the head of this file.")


if __name__ == "__main__":
    main()
