import { describeClient } from './describe-client';
import { kubeRs } from './kube-rs';

describeClient(kubeRs);
