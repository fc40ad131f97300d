import { describeClient } from './describe-client';
import { python } from './python';

describeClient(python);
