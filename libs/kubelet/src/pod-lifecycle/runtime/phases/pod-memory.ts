import { quantityValue } from '#libs/kernel';
import { usualMemoryBytes } from '../../../eviction/usual-use';
import { firstExcess, lineOf, sumOf, usedAt, type UsageLine } from '../../../eviction/usage-line';
import { specOf, type ResourceRequirements } from '../../pod-types';
import { allRuns, type ContainerRun, type PodRuntime } from '../container-run';
import type { RunEnd } from '../own-end';
import type { Passage } from '../passage';

/**
 * The containers of a pod together come to use more memory than the pod's own limit: the kernel kills the one that is furthest over what it asked
 * for. Who runs now counts from when the last of them began: before that it was another sum.
 */
export function podOutOfMemory(run: ContainerRun, runtime: PodRuntime, { pod }: Passage): RunEnd | undefined {
  const { resources } = specOf(pod) as { resources?: ResourceRequirements };
  const limit = resources?.limits?.memory;
  if (limit === undefined) return undefined;
  const running = [...allRuns(runtime)].filter(({ state }) => state === 'running');
  const uses = running.map((each): [ContainerRun, UsageLine] => [
    each,
    lineOf(each.behaviour.memory, each.startedAt ?? 0, usualMemoryBytes),
  ]);
  const since = Math.max(...running.map(({ startedAt = 0, resizedAt = 0 }) => Math.max(startedAt, resizedAt)));
  const at = firstExcess(sumOf(uses.map(([, line]) => line)), quantityValue(limit), since);
  if (at === undefined || furthestOver(uses, at) !== run) return undefined;
  return { at, exitCode: 137, reason: 'OOMKilled' };
}

function furthestOver(uses: readonly [ContainerRun, UsageLine][], at: number): ContainerRun | undefined {
  const over = ([run, line]: [ContainerRun, UsageLine]): number => usedAt(line, at) - quantityValue(run.actual.requests?.memory);
  let furthest: [ContainerRun, UsageLine] | undefined;
  for (const use of uses) if (!furthest || over(use) > over(furthest)) furthest = use;
  return furthest?.[0];
}
