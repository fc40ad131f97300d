import { createMemoryLog } from '../memory/memory-log';
import { describeEventLog } from './event-log-contract';

describeEventLog({ name: 'memory', open: () => Promise.resolve(createMemoryLog()) });
