import 'reflect-metadata';
import { runApp } from '#libs/app-shell';
import { ApiserverModule } from './apiserver.module';
import { apiserverOptions } from './apiserver.providers';

void runApp('apiserver', ApiserverModule, { check: apiserverOptions });
