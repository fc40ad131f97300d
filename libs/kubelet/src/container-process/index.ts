export { listenerOf, type Listener } from './listener';
export { isFinished, isReading, type Deed, type Finished, type Program, type Reading, type Turn } from './process';
export { startProgram } from './start-program';
export { surroundingsOf } from './surroundings';
export { Terminal } from './terminal';
