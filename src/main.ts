import { exitAfter } from './process/exit.ts';
import { serve } from './process/serve.ts';

await exitAfter(() => serve(process.env));
