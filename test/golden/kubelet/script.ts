// What a recorded script says, as annotations of the pod.
import type { KubeObject } from '#libs/kernel';
import type { ContainerScript, Fields, ImageScript, PodScript, Steps } from './recording';

type Annotations = Record<string, string>;

/** Images that the recorded nodes had before anything was pulled. */
const presentImages: ReadonlySet<string> = new Set(['app:1', 'app:2', 'init:1', 'side:1', 'debug:1']);

/** The recorded images are this large where nothing is said, and run as root. */
const ordinaryBytes = 5_242_880;

const duration = (seconds: number): string => `${Math.round(seconds * 1_000)}ms`;
const quoted = (text: unknown): string => JSON.stringify(text);

/** The annotations by which a pod does what the script says. */
export function annotationsOf(script: PodScript | undefined, pod: KubeObject): Annotations {
  const annotations: Annotations = {};
  const say = (key: string, value: string): void => {
    annotations[`kubereel.dev/${key}`] = value;
  };
  const { images, ...rest } = script ?? {};
  for (const [name, does] of Object.entries(rest)) {
    if (typeof does !== 'string') sayContainer((key, value) => say(`${name}.${key}`, value), does as ContainerScript);
    else if (name === 'plugin-error') say('admission-error', does);
    else say(name.replace('sandbox-fail', 'sandbox-fails'), does);
  }
  say('images', imagesText((images ?? {}) as Record<string, ImageScript>, pod));
  for (const container of containersOf(pod)) sayDeaf(container, (rest[container.name] ?? {}) as ContainerScript, say);
  return annotations;
}

function sayContainer(say: (key: string, value: string) => void, does: ContainerScript): void {
  const { runs, term, startDelay, exec, http, tcp, grpc, mem, disk, write } = does;
  if (runs) say('runs', runs.map(runText).join('; '));
  runs?.forEach(({ message, log }, index) => {
    if (message !== undefined) say(`message.${index + 1}`, message);
    if (log !== undefined) say(`log.${index + 1}`, log);
  });
  if (term?.ignore) say('on-term', 'ignore');
  else if (term) say('on-term', `${term.takes === undefined ? '' : `takes ${duration(term.takes)} `}exit ${term.exit ?? 0}`);
  if (startDelay !== undefined) say('startup', duration(startDelay));
  for (const [word, steps] of Object.entries(exec ?? {})) say(`exec.${word}`, timelineText(steps, execText));
  for (const [port, paths] of Object.entries(http ?? {})) {
    const lines = Object.entries(paths).map(([path, steps]) => `${path} ${timelineText(steps, httpText)}`);
    say(`http.${port}`, lines.join('\n'));
  }
  for (const [port, steps] of Object.entries(tcp ?? {}))
    say(
      `tcp.${port}`,
      timelineText(steps, ({ open }) => (open ? 'open' : 'closed')),
    );
  for (const [port, services] of Object.entries(grpc ?? {})) {
    const lines = Object.entries(services).map(([service, steps]) => {
      const text = timelineText(steps, ({ status, takes }) => `${String(status)}${takesText(takes)}`);
      return service === '' ? text : `${service}: ${text}`;
    });
    say(`grpc.${port}`, lines.join('\n'));
  }
  if (mem) say('memory', usageText(mem));
  if (disk) say('disk', usageText(disk));
  if (write) say('writes', `${write.mib}Mi to ${write.path} at ${duration(write.at)}`);
  sayRefusals(say, does);
}

function sayRefusals(say: (key: string, value: string) => void, does: ContainerScript): void {
  if (does.failCreate !== undefined) say('fail-create', does.failCreate);
  if (does.failCreateTimes !== undefined) say('fail-create-times', String(does.failCreateTimes));
  if (does.failStart !== undefined) say('fail-start', does.failStart);
  if (does.failStartTimes !== undefined) say('fail-start-times', String(does.failStartTimes));
  if (does.resizeFail !== undefined) say('resize-fails', does.resizeFail);
}

function runText({ run, exit, oom }: NonNullable<ContainerScript['runs']>[number]): string {
  if (run === undefined && !oom) return 'forever';
  return `${duration(run ?? 0)}${oom ? ' oom' : exit === undefined ? '' : ` exit ${exit}`}`;
}

function timelineText({ steps, cycle }: Steps, answer: (step: Fields) => string): string {
  const parts = steps.map(({ from, ...step }) => `${from === 0 ? '' : `from ${duration(from)} `}${answer(step)}`);
  if (cycle !== undefined) parts.push(`again after ${duration(cycle)}`);
  return parts.join('; ');
}

const takesText = (takes: unknown): string => (takes === undefined ? '' : ` takes ${duration(takes as number)}`);

function execText({ exit = 0, takes, out, err }: Fields): string {
  const prints = out === undefined ? '' : ` out ${quoted(out)}`;
  return `exit ${String(exit)}${takesText(takes)}${prints}${err === undefined ? '' : ` err ${quoted(err)}`}`;
}

function httpText({ code = 200, takes, body, location }: Fields): string {
  const tells = body === undefined ? '' : ` body ${quoted(body)}`;
  return `${String(code)}${takesText(takes)}${tells}${location === undefined ? '' : ` to ${quoted(location)}`}`;
}

const usageText = (steps: readonly { from: number; mib: number }[]): string =>
  steps.map(({ from, mib }) => `${from === 0 ? '' : `from ${duration(from)} `}${mib}Mi`).join('; ');

interface ContainerOfPod {
  name: string;
  image?: string;
  ports?: { name?: string; containerPort: number }[];
  [field: string]: unknown;
}

function containersOf({ spec = {} }: KubeObject): ContainerOfPod[] {
  return [...((spec.initContainers ?? []) as ContainerOfPod[]), ...((spec.containers ?? []) as ContainerOfPod[])];
}

/** A node has what the recorded ones had, and pulls everything else. */
function imagesText(images: Record<string, ImageScript>, pod: KubeObject): string {
  const debug = { name: 'debug', image: 'debug:1' };
  const names = new Set([...[...containersOf(pod), debug].map(({ image }) => image ?? ''), ...presentImages, ...Object.keys(images)]);
  return [...names]
    .filter((name) => name !== '')
    .map((name) => {
      const { delay, errors, repeat, code, size } = images[name] ?? {};
      const parts = [presentImages.has(name) ? 'present' : 'absent'];
      if (delay !== undefined) parts.push(`takes ${duration(delay)}`);
      parts.push(`size ${size ?? ordinaryBytes}`, 'user 0');
      if (errors) parts.push(`${repeat ? 'always ' : ''}fails ${code ?? 'Unknown'} ${errors.map(quoted).join(' ')}`);
      return `${name} ${parts.join('; ')}`;
    })
    .join('\n');
}

const probeNames = ['startupProbe', 'readinessProbe', 'livenessProbe'] as const;

/** A probe or a hook. */
type Asker = Partial<Record<string, { port: number | string }>>;

/** The recorded runtime listened only where the script says so; ours listens wherever it says nothing. */
function sayDeaf(container: ContainerOfPod, does: ContainerScript, say: (key: string, value: string) => void): void {
  const { postStart, preStop } = (container['lifecycle'] ?? {}) as Record<string, Asker | undefined>;
  for (const asker of [...probeNames.map((name) => container[name] as Asker | undefined), postStart, preStop]) {
    const asked = asker?.httpGet ?? asker?.tcpSocket ?? asker?.grpc;
    if (!asked) continue;
    const port = container.ports?.find((each) => each.name === asked.port)?.containerPort ?? asked.port;
    const isHeard = does.http?.[port] ?? does.tcp?.[port] ?? does.grpc?.[port];
    if (!isHeard) say(`${container.name}.tcp.${port}`, 'closed');
  }
}
