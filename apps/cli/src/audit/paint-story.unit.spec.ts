import { expect, it } from 'vitest';
import { paintStory } from './paint-story';

const story = `pod default/high
Running on node-1, ready

TIME          POSITION  BY     WHAT
12:00:01.250      1024  admin  created
                               │   node-2  too little CPU: wants 2,
                               │     0 of 4 free (NodeResourcesFit)
                               │ preemption: room could be made on node-1 alone
                               │ → node-1  removes a (100),
                               │     b (100)
                               │   node-2  removes c (100)

just before: kubectl get pods`;

it('colours tell the chosen way and the refusals, also where they go on in the next line; the words stay', () => {
  const painted = paintStory(story, (colour, text) => `<${String(colour)}>${text}</>`);
  expect(painted.replaceAll(/<[a-z/]*>/g, '')).toBe(story);
  expect(painted.split('\n').map((line) => /<[a-z]+>(?!.*<[a-z]+>)/.exec(line)?.[0])).toEqual([
    '<bold>',
    '<yellow>',
    undefined,
    '<dim>',
    '<dim>',
    '<red>',
    '<red>',
    undefined,
    '<green>',
    '<green>',
    undefined,
    undefined,
    '<dim>',
  ]);
});
