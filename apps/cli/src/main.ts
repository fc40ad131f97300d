#!/usr/bin/env node
import { join } from 'node:path';
import { compileBundle, startFromBundle } from './bundle';

const main = join(__dirname, 'run.js');
if (process.argv[2] === '--compile-bundle') void compileBundle('kubereel');
else startFromBundle('kubereel', main);
