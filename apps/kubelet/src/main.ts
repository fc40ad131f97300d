import { runApp } from '#libs/app-shell';
import { KubeletModule } from './kubelet.module';

void runApp('kubelet', KubeletModule);
