import { createMemoryLog } from '../memory/memory-log';
import { describeEventLog } from './event-log-contract';

describeEventLog({ name: 'memory', open: () => Promise.resolve(createMemoryLog()) });
describeEventLog({ name: 'memory, live', open: () => Promise.resolve(createMemoryLog({ live: true, historyBytesMax: 1 << 30 })) });
