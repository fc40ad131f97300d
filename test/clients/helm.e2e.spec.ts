import { describeClient } from './describe-client';
import { helm } from './helm';

describeClient(helm);
