// `npm run golden -- kubectl DIR [STORY …]`: recorded stories of kubectl commands, each run by a real kubectl against a fresh cluster of ours.
import { join } from 'node:path';
import type { PlayOptions, SessionResult, StepResult } from '../play-result';
import { tellWaiting } from '../waiting';
import { Client } from '../api/play/client';
import { findKubectl, KubectlShell } from '../api/play/kubectl';
import { startServer, type Server } from '../api/play/server';
import { standInBeside } from '../api/play/stand-in-kubelet';
import { SessionPlay } from '../api/play/session';
import { recordingOf, storiesOf, varyingOf, type Story } from './recording';

/** Milliseconds that a set-up condition may take to hold. */
const patience = 10_000;
/** How the recorded kubeconfig names its entries. */
const names = { cluster: 'oracle', user: 'u' };

/** Plays all stories, or those named by their id. Where there is no kubectl of the recorded release they are skipped, loudly. */
export async function playStories(
  dir: string,
  wanted: readonly string[],
  { values }: Pick<PlayOptions, 'values'>,
): Promise<SessionResult[]> {
  const stories = storiesOf(join(dir, 'stories.jsonl')).filter(({ id }) => wanted.length === 0 || wanted.includes(id));
  const kubectl = findKubectl();
  const results: SessionResult[] = [];
  for (const story of stories) results.push(await playStory(story, kubectl, values));
  return tellWaiting('kubectl', results);
}

async function playStory(story: Story, kubectl: string | undefined, values: PlayOptions['values']): Promise<SessionResult> {
  const recording = recordingOf(story);
  const result = {
    session: story.id,
    total: recording.steps.length,
    steps: [],
    seconds: 0,
  };
  if (kubectl === undefined)
    return {
      ...result,
      skipped: 'no kubectl v1.33 found (put one on PATH or name it in KUBEREEL_KUBECTL)',
    };
  let server: Server;
  try {
    server = await startServer(recording.header.runs, undefined, {
      verifies: values['verify'] !== undefined,
    });
  } catch (error) {
    return { ...result, unplayed: (error as Error).message };
  }
  const client = new Client(server.target);
  const standIn = standInBeside(recording.header.runs, client);
  const shell = new KubectlShell(kubectl, server, {
    names,
    editor: 'sh ./ed.sh',
    worksAtHome: true,
  });
  let played: SessionResult = result;
  try {
    played = await new SessionPlay(recording, {
      client,
      shell,
      patience,
      pauses: values['no-pauses'] === undefined,
    }).play();
  } finally {
    await standIn?.stop();
    client.close();
    shell.close();
    const problem = await server.stop();
    if (problem !== undefined)
      played.steps.push({
        step: 'verify',
        differences: [{ path: 'log', text: problem }],
      });
  }
  const varying = varyingOf(story);
  return {
    ...played,
    steps: played.steps.map((step) => withoutVarying(step, varying)),
  };
}

/** An output that differed between two recordings is not compared. */
function withoutVarying({ step, differences }: StepResult, varying: ReadonlySet<string>): StepResult {
  return {
    step,
    differences: differences.filter(({ path }) => !varying.has(`${step} ${path.split(':')[0]}`)),
  };
}
