// `npm run golden -- rbac DIR [PART or CASE …]`: who may do what, policies and quotas, each file played by its own player.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PlayOptions, SessionResult } from '../play-result';
import { tellWaiting } from '../waiting';
import { playBootstrap } from './bootstrap';
import type { Answer } from '../api/play/client';
import { keptOf, playCase, type CaseRules } from './play-case';
import { readLines, type CaseStep, type RecordedCase, type RecordedReviews } from './recording';
import { quotaRules } from './quota';
import { playReviews } from './reviews';
import { withoutBuild, withRelativeEnd } from './tokens';
import { withServer } from './servers';

interface Part {
  file: string;
  play: (dir: string, names: readonly string[], settings: Settings) => Promise<SessionResult[]>;
}

interface Settings {
  verifies: boolean;
  jobs: number;
}

const withControllers = 'apiserver+controller-manager';

/** Cases that share one server, whose objects have names of their own. */
const sharing =
  (file: string): Part['play'] =>
  async (dir, names, { verifies }) => {
    const lines = readLines<RecordedReviews>(dir, file, names);
    if (lines.length === 0) return [];
    const { result, problem } = await withServer(withControllers, verifies, async ({ client }) => {
      const results: SessionResult[] = [];
      for (const line of lines) results.push(await playReviews(line, client));
      return results;
    });
    return withProblem(result, problem);
  };

/** Cases that each have a fresh server. */
const each =
  (file: string, rules: CaseRules): Part['play'] =>
  async (dir, names, { verifies, jobs }) => {
    const lines = readLines<RecordedCase>(dir, file, names);
    const results = new Map<string, SessionResult>();
    const waiting = [...lines];
    const worker = async (): Promise<void> => {
      for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
        const own = line;
        const { result, problem } = await withServer(rules.runs, verifies, ({ client }) => playCase(own, client, beside(own, rules)));
        results.set(line.id, ...(withProblem([result], problem) as [SessionResult]));
      }
    };
    await Promise.all(Array.from({ length: jobs }, worker));
    return lines.map(({ id }) => results.get(id) as SessionResult);
  };

/**
 * Cases that were recorded beside another one on the same server, whose policy reached them: its kind of parameters is not there, so it denies
 * whatever it means, in any namespace.
 */
const neighbours: Readonly<Record<string, string>> = { 'policy-154': 'pol-155' };
const unknownKind = { apiVersion: 'none.example.com/v1', kind: 'Nope' };

type Configured = { metadata: object; spec: object };

/** The rules of a case, by which its neighbour's policy and binding are there once its own are. */
function beside({ id, steps }: RecordedCase, rules: CaseRules): CaseRules {
  const name = neighbours[id];
  if (name === undefined) return rules;
  return {
    ...rules,
    settle: async ({ step, request }, client) => {
      if (step > 2 || request.path !== steps[step - 1]?.request.path) return;
      const { metadata, spec, ...body } = request.body as unknown as Configured;
      const changed = step === 1 ? { paramKind: unknownKind } : { policyName: name };
      const theirs = { ...body, metadata: { ...metadata, name }, spec: { ...spec, ...changed } };
      await client.send({ method: request.method, path: request.path, body: theirs as never });
    },
  };
}

const parts: Readonly<Record<string, Part>> = {
  bootstrap: {
    file: 'bootstrap.json',
    play: async (dir, names, { verifies }) => {
      if (names.length > 0) return [];
      const { result, problem } = await withServer(withControllers, verifies, ({ client }) => playBootstrap(dir, client));
      return withProblem([result], problem);
    },
  },
  reviews: { file: 'reviews.jsonl', play: sharing('reviews.jsonl') },
  aggregated: { file: 'aggregated.jsonl', play: sharing('aggregated.jsonl') },
  requests: { file: 'requests.jsonl', play: each('requests.jsonl', { runs: 'apiserver', kept: keptOfRequest }) },
  policies: { file: 'policies.jsonl', play: each('policies.jsonl', { runs: withControllers, patience: 2_000, kept: keptOfPolicy }) },
  quota: { file: 'quota.jsonl', play: each('quota.jsonl', quotaRules) },
};

/** Of the policy that is read at the end its generation and its status were kept. */
function keptOfPolicy(step: CaseStep, answer: Answer, body: unknown): unknown {
  const { metadata, status } = (body ?? {}) as { metadata?: { generation?: number }; status?: unknown };
  const isPolicy = step.request.method === 'GET' && answer.status === 200;
  return isPolicy ? { metadata: { generation: metadata?.generation }, status } : keptOf(step, answer, body);
}

function keptOfRequest(step: CaseStep, answer: Answer, body: unknown): unknown {
  return withRelativeEnd(withoutBuild(step, keptOf(step, answer, body), step.response.body));
}

function withProblem(results: SessionResult[], problem: string | undefined): SessionResult[] {
  if (problem !== undefined) results.at(-1)?.steps.push({ step: 'verify', differences: [{ path: 'log', text: problem }] });
  return results;
}

/** Plays the parts that are named, or the cases whose ids the names begin; all when none is. */
export async function playRbac(dir: string, names: readonly string[], { values }: PlayOptions): Promise<SessionResult[]> {
  const settings = { verifies: values['verify'] !== undefined, jobs: Math.max(1, Number(values['jobs'] ?? 2)) };
  const ofCases = names.filter((name) => !Object.hasOwn(parts, name));
  const results: SessionResult[] = [];
  for (const [name, { file, play }] of Object.entries(parts)) {
    if (!existsSync(join(dir, file))) throw new Error(`no ${file} in ${dir}`);
    if (names.length === 0 || names.includes(name)) results.push(...(await play(dir, [], settings)));
    else if (ofCases.length > 0) results.push(...(await play(dir, ofCases, settings)));
  }
  return tellWaiting('rbac', results);
}
