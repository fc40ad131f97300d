import { describe, expect, it } from 'vitest';
import { run, sh } from './program.fixture';
import { Terminal } from './terminal';

describe('programs in a simulated container', () => {
  it('print what they would print', () => {
    expect(run(['echo', 'hi', 'there'])).toBe('hi there\n=0');
    expect(run(['/bin/echo', '-n', 'hi'])).toBe('hi=0');
    expect(run(['echo', '-e', 'a\\tb\\n'])).toBe('a\tb\n\n=0');
    expect(run(['printf', '%s=%03d\\n', 'a', '7', 'b', '8'])).toBe('a=007\nb=008\n=0');
    expect(run(['hostname'])).toBe('p\n=0');
    expect(run(['cat', '/etc/hostname', '/nothing'])).toBe("p\n[cat: can't open '/nothing': No such file or directory\n]=1");
    expect(run(['printenv', 'COLOUR', 'ABSENT'])).toBe('red\n=1');
    expect(run(['env'])).toContain('COLOUR=red\nBOTH=red-$x\nIP=10.128.0.2\nMODE=fast\n');
    expect(run(['env', 'A=1', 'printenv', 'A'])).toBe('1\n=0');
    expect(run(['false'])).toBe('=1');
    expect(run(['seq', '3'])).toBe('1\n2\n3\n=0');
  });

  it('know the time of the cluster, and let it pass', () => {
    expect(run(['date'])).toBe('Thu Jan  1 12:00:00 UTC 2026\n=0');
    expect(sh('sleep 61; date +%FT%T.%s')).toBe('(61000)2026-01-01T12:01:01.1767268861\n=0');
    expect(run(['sleep', '1.5'])).toBe('(1500)=0');
    expect(run(['sleep', '1m', '1'])).toBe('(61000)=0');
    expect(run(['sleep', 'x'])).toBe("[sleep: invalid number 'x'\n]=1");
    expect(run(['timeout', '2', 'sleep', '10'])).toBe('(2000)=143');
    expect(run(['timeout', '20', 'sh', '-c', 'sleep 10; exit 3'])).toBe('(10000)=3');
  });

  it('read the volumes of their pod', () => {
    expect(run(['ls', '/config'])).toBe('app.conf\nmode\n=0');
    expect(run(['cat', '/config/app.conf'])).toBe('one\ntwo\n=0');
    expect(run(['cat', '/keys/db/password', '/app/mode'])).toBe('hushfast=0');
    expect(sh('echo a > /scratch/x; echo b >> /scratch/x; cat /scratch/x; ls -l /scratch | wc -l')).toBe('a\nb\n1\n=0');
    expect(sh('cat /var/run/secrets/kubernetes.io/serviceaccount/namespace')).toBe('default=0');
  });

  it('work on lines', () => {
    expect(sh('grep -n two /config/app.conf; grep -q three /config/app.conf || echo none')).toBe('2:two\nnone\n=0');
    expect(sh('printf "b\\na\\nb\\n" | sort | uniq -c')).toBe('      1 a\n      2 b\n=0');
    expect(sh('echo a:b:c | cut -d: -f2; echo abc | tr a-z A-Z; seq 5 | tail -n 2; seq 5 | head -1')).toBe('b\nABC\n4\n5\n1\n=0');
    expect(sh('yes | head -2')).toBe('y\ny\n=0');
    expect(sh('cat /config/app.conf | wc -l; echo x | tee /tmp/t; cat /tmp/t')).toBe('2\nx\nx\n=0');
  });

  it('pack and unpack archives as kubectl cp has them', () => {
    const long = `/tmp/in/${'n'.repeat(110)}`;
    const files = `mkdir -p /tmp/in/sub; echo one > /tmp/in/a; echo two > /tmp/in/sub/b; echo three > ${long}`;
    expect(
      sh(
        `${files}; tar cf - /tmp/in | (cd /scratch && tar xmf - -C /scratch); cat /scratch/tmp/in/a /scratch/tmp/in/sub/b /scratch${long}`,
      ),
    ).toBe('one\ntwo\nthree\n=0');
    expect(sh('tar cf - /none > /dev/null')).toBe('[tar: /none: No such file or directory\n]=1');
    expect(
      sh('echo "no archive, though it is longer than one block is; that is how it goes" | tar xf - -C /tmp; tar xf - -C /none'),
    ).toContain("can't change directory");
    expect(sh('echo ../../../etc/x > /tmp/x; cd /tmp; tar cf - x | tar xf - -C /scratch; ls /scratch')).toBe('x\n=0');
  });

  it('reach Services that have a ready pod, and no others', () => {
    const body = 'container web of pod default/web-1 is simulated: this is all that its port 8080 answers\n';
    expect(sh('wget -qO- http://web')).toBe(`${body}=0`);
    expect(sh('wget -q -O - web.default.svc.cluster.local:80/path')).toBe(`${body}=0`);
    expect(sh('wget --spider -q 10.96.1.1 && curl -s http://web')).toBe(`${body}=0`);
    expect(sh('wget -O- idle:80')).toBe(
      "[Connecting to idle:80 (10.96.1.2:80)\n][wget: can't connect to remote host (10.96.1.2): Connection refused\n]=1",
    );
    expect(sh('wget nowhere:80')).toBe("[wget: bad address 'nowhere:80'\n]=1");
    expect(sh('wget -q -O- web:81')).toContain('Connection refused');
    expect(sh('curl -sS http://nowhere')).toBe('[curl: (6) Could not resolve host: nowhere\n]=6');
    expect(sh("curl -s -o /dev/null -w '%{http_code}' http://web; curl http://idle")).toBe(
      '200[curl: (7) Failed to connect to idle port 80 after 0 ms: Could not connect to server\n]=7',
    );
    expect(sh('nc -z web 80 && nc -zv -w 2 10.128.0.9 8080; nc -z idle 80')).toBe('[10.128.0.9 (10.128.0.9:8080) open\n]=1');
    expect(sh('nslookup web')).toContain('Name:\tweb.default.svc.cluster.local\nAddress: 10.96.1.1\n');
    expect(sh('nslookup nowhere')).toContain("** server can't find nowhere: NXDOMAIN");
  });

  it('have the variables of the Services that were there before', () => {
    expect(sh('echo $WEB_SERVICE_HOST:$WEB_SERVICE_PORT ${LATE_SERVICE_HOST:-none}')).toBe('10.96.1.1:80 none\n=0');
    expect(run(['printenv', 'WEB_PORT', 'WEB_PORT_80_TCP_PROTO', 'WEB_PORT_80_TCP_ADDR', 'IDLE_PORT_80_TCP'])).toBe(
      'tcp://10.96.1.1:80\ntcp\n10.96.1.1\ntcp://10.96.1.2:80\n=0',
    );
    expect(run(['env'])).toMatch(/^(?:.*\n)*IDLE_SERVICE_HOST=10.96.1.2\n(?:.*\n)*WEB_SERVICE_HOST=10.96.1.1\n/);
    expect(sh('unset WEB_SERVICE_HOST; sh -c \'echo "[$WEB_SERVICE_HOST]"\'')).toContain('[]');
  });

  it('ask the name server as dig does, which is content with any answer', () => {
    expect(sh('dig +short web.default.svc.cluster.local; dig +short web; echo $?; dig +search +short web')).toBe(
      '10.96.1.1\n0\n10.96.1.1\n=0',
    );
    expect(sh('dig nowhere')).toContain('status: NXDOMAIN');
    expect(sh('dig web.default.svc.cluster.local')).toContain(';; ANSWER SECTION:\nweb.default.svc.cluster.local.\t30\tIN\tA\t10.96.1.1\n');
  });

  it('cannot be started when they are not there', () => {
    expect(run(['nginx'])).toBe('unable to start container process: exec: "nginx": executable file not found in $PATH');
    expect(sh('nonsense')).toBe('[sh: nonsense: not found\n]=127');
  });
});

describe('the shell', () => {
  it.each([
    ['echo one; echo two && false || echo three', 'one\ntwo\nthree\n=0'],
    ['true && exit 3; echo never', '=3'],
    ['echo a; sleep 2; echo b; exit 1', 'a\n(2000)b\n=1'],
    ['false; echo $?', '1\n=0'],
    ["sh -c 'echo inner $0 $1' name arg", 'inner name arg\n=0'],
    [`echo "$COLOUR \${COLOUR}s" '$COLOUR' a\\ b ""`, 'red reds $COLOUR a b \n=0'],
    ['echo "say \\"hi\\""', 'say "hi"\n=0'],
    ['if [ "$COLOUR" = red ]; then echo yes; elif true; then echo no; else echo never; fi', 'yes\n=0'],
    ['for i in 1 2 3; do [ $i -eq 2 ] && continue; echo $i; done', '1\n3\n=0'],
    ['i=0; while [ $i -lt 3 ]; do i=$((i+1)); echo -n $i; done', '123=0'],
    ['n=0; until [ $n = 2 ]; do n=$((n + 1)); sleep 5; done; echo $n', '(5000)(5000)2\n=0'],
    ['while true; do echo once; break; done', 'once\n=0'],
    ['case $COLOUR in blue|green) echo cold;; r*) echo warm;; esac', 'warm\n=0'],
    ['greet() { echo "hi $1"; return 4; }; greet you; echo $?', 'hi you\n4\n=0'],
    ['x=$(echo a; echo b); echo "$x" | wc -l; echo `echo c`', '2\nc\n=0'],
    ['echo ${ABSENT:-default} ${COLOUR#r} ${COLOUR%d} ${#COLOUR}', 'default ed re 3\n=0'],
    ['set -e; false; echo never', '=1'],
    ['set -e; if false; then :; fi; false || true; ! true; echo still', 'still\n=0'],
    ['echo out; echo err >&2', 'out\n[err\n]=0'],
    ['echo gone >/dev/null 2>&1; nonsense 2>/dev/null; echo $?', '127\n=0'],
    ['cat <<EOF\n$COLOUR\nEOF\ncat <<"EOF"\n$COLOUR\nEOF', 'red\n$COLOUR\n=0'],
    ['printf "a 1\\nb 2\\n" | while read name number; do echo $number$name; done', '1a\n2b\n=0'],
    ['cd /config && pwd && for f in *; do echo $f; done', '/config\napp.conf\nmode\n=0'],
    ['(cd /tmp; exit 2); echo $? $PWD', '2\n=0'],
    ['A=1 printenv A; export B=2; printenv B; echo $(( (1 + 2) * 3 > 8 ? 7 : 0 ))', '1\n2\n7\n=0'],
    ['exec echo instead; echo never', 'instead\n=0'],
    ['# a comment\necho a # another\n\necho b', 'a\nb\n=0'],
    ['cat', '=0'],
    ['bash -c "echo a{1..3}b {x,y}{1,2} {3..1} \\"{1..2}\\" {z}"', 'a1b a2b a3b x1 x2 y1 y2 3 2 1 {1..2} {z}\n=0'],
    ['echo {1..3} {a,b}', '{1..3} {a,b}\n=0'],
    ["bash -c 'for i in {1..100}; do sleep 1; if nslookup web > /dev/null; then exit 0; fi; done; exit 1'", '(1000)=0'],
  ])('runs %j', (script, told) => {
    expect(sh(script)).toBe(told);
  });

  it.each(["echo 'open", '&& echo', 'if true; then', 'echo a | | b', 'server & wait', 'for x; in', 'echo $(', 'done'])(
    'does not pretend to understand %j',
    (script) => {
      expect(() => sh(script)).toThrow(/does not understand|NotSimulated/);
    },
  );

  it.each([
    'while true; do :; done',
    'yes > /dev/null',
    'f() { f; }; f',
    'while :; do x=$x$x$x; done',
    'x=ab; while :; do x=$x$x; done',
    'yes | grep n',
    'for i in 1 2 3 4 5; do yes > /tmp/$i; done',
  ])('gives up on %j, which comes to nothing', (script) => {
    expect(() => sh(script)).toThrow();
  });

  it('can be typed to, line by line', () => {
    const lines = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text));
    expect(run(['sh'], lines('echo a\nech', 'o b\n'), true)).toBe('/ # a\n/ # b\n/ # ?');
    expect(run(['sh'], lines('exit 4\necho never\n'))).toBe('=4');
    expect(run(['sh'], [Buffer.from('false'), 'end'])).toBe('=1');
    expect(run(['sh'], [...lines('echo a'), 'interrupt', ...lines('echo $?\nx() {\n')], true)).toContain('130\n');
    expect(run(['sh', '-c', 'read name; echo "hello $name"'], lines('you\n'))).toBe('hello you\n=0');
    expect(run(['cat'], [Buffer.from('abc'), 'end'])).toBe('abc=0');
  });
});

describe('a terminal', () => {
  it('shows what is typed, corrects, and hands lines on', () => {
    const terminal = new Terminal();
    expect(terminal.type('ab\x7fc\rd')).toEqual({ echo: 'ab\b \bc\r\nd', input: 'ac\n', isEnd: false, isInterrupt: false });
    expect(terminal.type('\x03x')).toMatchObject({ echo: '^C\r\n', isInterrupt: true });
    expect(terminal.type('\x04')).toMatchObject({ isEnd: true });
    expect(Terminal.shown('a\nb\r\n')).toBe('a\r\nb\r\n');
  });
});
