import { runApp } from '#libs/app-shell';
import { KubeletModule } from './kubelet.module';
import { kubeletLeavesOut } from './leaves-out';

void runApp('kubelet', KubeletModule, kubeletLeavesOut);
