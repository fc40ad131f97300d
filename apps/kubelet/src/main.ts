import { runApp } from '#libs/app-shell';
import { kubeletLeavesOut } from './leaves-out';
import { KubeletModule } from './kubelet.module';

void runApp('kubelet', KubeletModule, { leavesOut: kubeletLeavesOut });
