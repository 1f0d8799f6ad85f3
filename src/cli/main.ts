#!/usr/bin/env node
import { CommanderError } from 'commander';
import { reportFailure } from './failure.ts';
import { program } from './program.ts';

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has said what is wrong, or has shown the help that was asked for.
    process.exitCode = error.exitCode === 0 ? 0 : 1;
  } else {
    reportFailure(error);
    process.exitCode = 1;
  }
}
