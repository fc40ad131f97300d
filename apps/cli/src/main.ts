#!/usr/bin/env node
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { compileBundle, startFromBundle } from './bundle';

// A start leaves more alive than the first young generation holds, which is 1 MiB: grown in steps of two it is collected six times before that.
setFlagsFromString('--semi-space-growth-factor=4');

const main = join(__dirname, 'run.js');
if (process.argv[2] === '--compile-bundle') void compileBundle('kubereel');
else startFromBundle('kubereel', main);
