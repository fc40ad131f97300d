import { describeClient } from './describe-client';
import { kubeControllerManager } from './stock';

describeClient(kubeControllerManager);
