import { hostPort } from '#libs/kernel';
import { answerAt, httpAnswers, nextStepAt, type ContainerBehaviour, type HttpAnswer } from '../../../behaviour';
import type { Probe } from '../../pod-types';
import { containerPort } from './container-port';
import {
  alwaysFinds,
  cannotBeMade,
  fails,
  found,
  succeeds,
  timeoutMsOf,
  type ProbeFinder,
  type ProbeOutcome,
  type ProbeTarget,
} from './probe-outcome';
import { connectionRefused, whereOpen } from './tcp-probe';

/** Redirections that are followed on the same host. */
const redirectsMax = 10;
/** Bytes of a body that are read (upstream `maxRespBodyLength`). */
const bodyMax = 10 * 1_024;

/**
 * A code from 200 to 399 is a success. Redirections to the same host are followed; one to another host is a success with a warning
 * (upstream `DoHTTPProbe`).
 */
export function httpProbe(probe: Probe, { container, behaviour, podIP }: ProbeTarget): ProbeFinder {
  const { path = '/', port: asked = 0, host, scheme = 'HTTP' } = probe.httpGet ?? {};
  const port = containerPort(asked, container);
  if (typeof port !== 'number') return alwaysFinds(cannotBeMade(port.error));
  const url = urlOf(scheme.toLowerCase(), host || podIP, port, path);
  if (!url) return alwaysFinds(succeeds);
  return ask(url, { behaviour, timeoutMs: timeoutMsOf(probe), first: url, redirects: 0, spentMs: 0 });
}

interface Asking {
  behaviour: ContainerBehaviour;
  timeoutMs: number;
  /** What the probe asked for; a redirection leads away from it. */
  first: URL;
  redirects: number;
  spentMs: number;
}

function urlOf(scheme: string, host: string, port: number, path: string): URL | undefined {
  const base = `${scheme}://${hostPort(host, port)}`;
  return parse(path.startsWith('/') ? base + path : `${base}/${path}`);
}

function parse(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));

/** As Go writes it: the port stays, also where it goes without saying. */
const textOf = (url: URL): string => `${url.protocol}//${hostPort(bare(url.hostname), portOf(url))}${url.pathname}${url.search}${url.hash}`;

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

function ask(url: URL, asking: Asking): ProbeFinder {
  const { behaviour, spentMs } = asking;
  const port = portOf(url);
  const refused = fails(cannotGet(url, connectionRefused(bare(url.hostname), port)), spentMs);
  const answers = httpAnswers(behaviour, port, url.pathname + url.search);
  return whereOpen(behaviour, port, refused, (since) => {
    if (!answers) return found({ ...succeeds, takesMs: spentMs });
    const answer = answerAt(answers, since);
    const until = nextStepAt(answers, since);
    const target = leadsTo(answer, url);
    const isAnswered = spentMs + answer.takesMs <= asking.timeoutMs;
    if (!isAnswered || target?.hostname !== asking.first.hostname) return found(outcomeOf(answer, url, asking), until);
    if (asking.redirects + 1 >= redirectsMax)
      return found(fails(cannotGet(target, `stopped after ${redirectsMax} redirects`), spentMs + answer.takesMs), until);
    const there = ask(target, { ...asking, redirects: asking.redirects + 1, spentMs: spentMs + answer.takesMs })(since);
    return { ...there, untilMs: Math.min(there.untilMs, until ?? Number.POSITIVE_INFINITY) };
  });
}

const cannotGet = (url: URL, why: string): string => `Get ${JSON.stringify(textOf(url))}: ${why}`;

const redirectCodes: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function leadsTo({ code, location }: HttpAnswer, from: URL): URL | undefined {
  return location === undefined || !redirectCodes.has(code) ? undefined : parse(location, from);
}

function outcomeOf({ code, takesMs, body = '' }: HttpAnswer, url: URL, { timeoutMs, spentMs: before }: Asking): ProbeOutcome {
  const spentMs = before + takesMs;
  if (spentMs > timeoutMs)
    return fails(cannotGet(url, 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'), timeoutMs);
  // Bodies are not told: they may hold what is nobody's business.
  if (code < 200 || code >= 400) return fails(`HTTP probe failed with statuscode: ${code}`, spentMs);
  if (code < 300) return { ...succeeds, takesMs: spentMs };
  const read = Buffer.from(body).subarray(0, bodyMax).toString('utf8');
  return { result: 'warning', text: `Probe terminated redirects, Response body: ${read}`, takesMs: spentMs };
}
