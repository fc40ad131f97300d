import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandOf, imagesKnown } from './default-commands';
import { sh } from './program.fixture';
import { programs } from './programs';
import { builtins } from './shell/builtins';

const page = readFileSync(join(__dirname, '../../../../docs/programs.md'), 'utf8');
const section = (title: string): string => page.split(/^## /m).find((part) => part.startsWith(title)) ?? '';
const codes = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code as string);
const firstCells = (text: string): string[] => [...text.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) => codes(cell as string));

it('the page of programs names each that there is, and no other', () => {
  expect(firstCells(section('Programs')).sort()).toEqual([...programs.keys()].sort());
  const ofTheShell = codes(/Part of it are ([^(]*)/.exec(page)?.[1] ?? '');
  expect(ofTheShell.sort()).toEqual([...builtins.keys()].sort());
});

it('the page of programs names each image whose command is known', () => {
  expect(firstCells(section('Which program')).sort()).toEqual([...imagesKnown].sort());
  expect(commandOf({ image: 'docker.io/library/busybox:1.36' })).toEqual(['sh']);
  expect(commandOf({ image: 'registry.example/busybox' })).toBeUndefined();
  expect(commandOf({ image: 'nginx' })).toBeUndefined();
});

it('its examples come out as they stand there', () => {
  const [, text = ''] = /```\n([^]*?)```/.exec(section('Programs')) ?? [];
  const examples = text.split(/^\$ /m).filter(Boolean);
  expect(examples.length).toBeGreaterThan(3);
  for (const example of examples) {
    const [command = '', ...output] = example.split('\n');
    // Waits stand in brackets in what the fixture tells.
    expect(
      sh(command)
        .replace(/\(\d+\)/g, '')
        .replace(/=0$/, ''),
    ).toBe(output.join('\n'));
  }
});
