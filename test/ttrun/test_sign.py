# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ttrun sign, keygen and --trusted; the files are those of minisign."""
import base64
import shutil
import subprocess

import pytest


@pytest.fixture
def sample(written, tools, tmp_path):
    if "built without libsodium" in tools.ttrun("keygen", "probe", check=False, cwd=tmp_path).stderr:
        pytest.skip("this ttrun has no signatures")
    written("sample", tmp_path / "a.ttcb")
    for name in ("one", "two"):
        tools.ttrun("keygen", name, cwd=tmp_path)
    tools.ttrun("sign", "a.ttcb", "--key=one.key", cwd=tmp_path)
    return tmp_path


COMMANDS = (["check"], ["run", "--random"], ["perf", "--loops=2"])


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c[0])
def test_only_signed_bundles_are_accepted(tools, sample, command):
    def status(*options):
        done = tools.ttrun(command[0], "a.ttcb", *command[1:], *options, cwd=sample, check=False)
        return done.returncode, done.stderr

    assert status()[0] == 0
    assert status("--trusted=one.pub")[0] == 0
    assert status("--trusted=two.pub", "--trusted=one.pub")[0] == 0
    code, message = status("--trusted=two.pub")
    assert code == 1 and "not trusted: signed with key " in message
    code, message = status("--trusted=none.pub")
    assert code == 2 and "--trusted: cannot open 'none.pub'" in message
    code, message = status("--trusted=one.key")
    assert code == 2 and "is not a public key of minisign" in message
    bundle = bytearray((sample / "a.ttcb").read_bytes())
    bundle[5000] ^= 1
    (sample / "a.ttcb").write_bytes(bundle)
    code, message = status("--trusted=one.pub")
    assert code == 1 and "not trusted: the signature in 'a.ttcb.minisig'" in message
    (sample / "a.ttcb.minisig").unlink()
    code, message = status("--trusted=one.pub")
    assert code == 1 and "not trusted: not signed: expected a signature in 'a.ttcb.minisig'" in message


def test_wrong_usage(tools, sample):
    def fails(*arguments):
        done = tools.ttrun(*arguments, cwd=sample, check=False)
        assert done.returncode == 2
        return done.stderr

    assert "expected --key=FILE.key" in fails("sign", "a.ttcb")
    assert "expected one name, found 0" in fails("keygen")
    assert "cannot create 'one.pub': File exists" in fails("keygen", "one")
    assert "'one.pub' is not a secret key of minisign" in fails("sign", "a.ttcb", "--key=one.pub")


def test_signing_the_same_bundle_gives_the_same_bytes(tools, sample):
    first = (sample / "a.ttcb.minisig").read_bytes()
    tools.ttrun("sign", "a.ttcb", "--key=one.key", "--signature=again.minisig", cwd=sample)
    assert (sample / "again.minisig").read_bytes() == first


@pytest.mark.skipif(not shutil.which("minisign"), reason="minisign is not installed")
def test_minisign_reads_our_files_and_we_its(tools, sample):
    def minisign(*arguments, **options):
        return subprocess.run(["minisign", *arguments], cwd=sample, check=True, capture_output=True, text=True, **options)

    printed = minisign("-V", "-p", "one.pub", "-m", "a.ttcb").stdout
    assert "Trusted comment: bundle a.ttcb" in printed
    (sample / "a.ttcb.minisig").unlink()
    minisign("-S", "-s", "one.key", "-m", "a.ttcb", "-W")
    tools.ttrun("check", "a.ttcb", "--trusted=one.pub", cwd=sample)

    minisign("-G", "-W", "-s", "its.key", "-p", "its.pub")
    tools.ttrun("sign", "a.ttcb", "--key=its.key", cwd=sample)
    minisign("-V", "-p", "its.pub", "-m", "a.ttcb")
    tools.ttrun("check", "a.ttcb", "--trusted=its.pub", cwd=sample)



def test_key_with_a_password(tools, sample):
    comment, key = (sample / "one.key").read_text().splitlines()
    protected = bytearray(base64.b64decode(key))
    protected[2:4] = b"Sc"
    (sample / "safe.key").write_text(f"{comment}\n{base64.b64encode(protected).decode()}\n")
    done = tools.ttrun("sign", "a.ttcb", "--key=safe.key", cwd=sample, check=False)
    assert done.returncode == 2 and "is protected by a password" in done.stderr
