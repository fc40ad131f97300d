import { renderWhy, verify, why } from '#libs/audit';
import type { EventLog, RecordedEvent } from '#libs/event-log';
import { attemptExplainers } from '../audit/explainers';
import type { SimulatedTarget } from '../scenario/simulated-target';
import { broken, Teller } from '../scenario/teller';
import { simulatedClusterName } from '../simulation/simulated-cluster';
import { painter } from '../terminal/colour';
import { defaultPort } from '../up/data-folder';
import { podsAt } from './pods-at';
import { playStory } from './story';

const widthMax = 100;
const indent = '     ';

/**
 * A preemption, why it happened, the cluster before it, and the same with one field changed: two screens, no set-up.
 * @param columns of the terminal; lines longer than 100 are broken on any
 */
export async function tour(write = onTerminal, columns: number = process.stdout.columns ?? Infinity): Promise<void> {
  const story = await playStory('PreemptLowerPriority');
  const never = await playStory('Never');
  const told = new Tour(write, columns);
  told.say(
    'A tour of kubereel. Everything below really happens: a Kubernetes control plane (API rules, admission, scheduler, kubelets) runs in this process, in virtual time, and keeps every change as an event.',
  );
  await told.preemption(story);
  await told.reasons(story);
  await told.before(story);
  await told.otherwise(never);
  await told.proof([story, never]);
  told.goOn();
  await Promise.all([story.close(), never.close()]);
}

/** The story below the name and how it stands. */
function storyOf(told: string): string[] {
  const lines = told.trimEnd().split('\n');
  return lines.slice(lines.indexOf('') + 1);
}

const title = /^\d+\. /;

/** On a terminal the chapters stand out. */
function onTerminal(line: string): void {
  process.stdout.write(`${title.test(line) ? painter()('bold', line) : line}\n`);
}

class Tour {
  private chapters = 0;

  constructor(
    private readonly write: (line: string) => void,
    private readonly columns: number,
  ) {}

  say(text: string): void {
    for (const line of broken(text, Math.min(widthMax, this.columns))) this.write(line);
  }

  async preemption(story: SimulatedTarget): Promise<void> {
    this.chapter('A pod finds no room');
    this.say(
      'One node of 4 CPU, full with two pods of priority 100. Then a pod of priority 1000000 is created. It needs 2 CPU; the containers of the others take 5 s to stop.',
    );
    this.happened(story);
    this.say('The scheduler removed just as much as it had to, with grace; the new pod waited, and was bound when there was room.');
  }

  async reasons({ cluster }: SimulatedTarget): Promise<void> {
    this.chapter('Why? Ask the stream of events', 'kubereel why pod/high');
    const { log, controllers, runtime } = cluster;
    const object = { resource: 'pods', namespace: 'default', name: 'high' };
    const report = await why({
      log,
      cluster: simulatedClusterName,
      seed: runtime.seed,
      object,
      controllers,
      explainers: await attemptExplainers(),
    });
    if (report) this.block(storyOf(renderWhy(report, { width: this.columns - indent.length })));
    this.say('The alternatives were stored nowhere: the decision was made once more, from the events before it.');
  }

  async before({ cluster }: SimulatedTarget): Promise<void> {
    const decided = await firstEvent(cluster.log, 'PreemptionDecided');
    const position = decided.position - 1;
    this.chapter('The cluster before it', `kubectl --server https://127.0.0.1:${defaultPort}/at/${position} get pods`);
    this.say(
      `The preemption is the event at position ${decided.position} of the log. The API server serves every earlier state too, under /at/POSITION/ or /at/TIME/. Just before it:`,
    );
    this.block(await podsAt(cluster.log, position));
    this.say('And now:');
    this.block(await podsAt(cluster.log, cluster.state.position));
  }

  async otherwise(never: SimulatedTarget): Promise<void> {
    this.chapter('The same with preemptionPolicy: Never');
    this.say(
      'A second cluster, the same steps, one field of the PriorityClass changed. The pod goes first in the queue, but removes nobody.',
    );
    this.happened(never);
    this.block(await podsAt(never.cluster.log, never.cluster.state.position));
  }

  async proof(stories: readonly SimulatedTarget[]): Promise<void> {
    this.chapter('Is it true?', 'kubereel verify');
    let [events, agreed, differ] = [0, 0, 0];
    for (const { cluster } of stories) {
      const { log, controllers, runtime } = cluster;
      const report = await verify({ log, cluster: simulatedClusterName, seed: runtime.seed, controllers });
      events += report.events;
      agreed += report.agreed;
      differ += report.notDerivable + report.findingCount;
    }
    this.say(`All decisions of both clusters, made again from their ${events} events: ${agreed} agree, ${differ} differ.`);
  }

  goOn(): void {
    this.chapter('Go on');
    this.block([
      'kubereel up                         a cluster for kubectl and your programs',
      'kubereel simulate scenarios/*.yaml  more stories: budgets, drains, affinity',
      'kubereel log -f                     the events as they come',
    ]);
  }

  private chapter(title: string, command?: string): void {
    this.write('');
    this.write(`${++this.chapters}. ${title}${command ? `   $ ${command}` : ''}`);
  }

  private happened(story: SimulatedTarget): void {
    const news = story.news();
    const start = news[0]?.at ?? 0;
    new Teller(this.write, () => 0, this.columns).happened(news.map((happening) => ({ ...happening, at: happening.at - start })));
  }

  private block(lines: readonly string[]): void {
    for (const line of lines) this.write(`${indent}${line}`.trimEnd());
  }
}

async function firstEvent(log: EventLog, type: string): Promise<RecordedEvent> {
  for await (const page of log.readAll()) for (const event of page) if (event.type === type) return event;
  throw new Error(`the log has no ${type}`);
}
